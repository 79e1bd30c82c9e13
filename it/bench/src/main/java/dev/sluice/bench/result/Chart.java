package dev.sluice.bench.result;

import dev.sluice.bench.measure.Sample;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.imageio.ImageIO;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler;
import org.knowm.xchart.style.markers.SeriesMarkers;
import org.w3c.dom.Document;

/** A picture of a run: panels below each other, over its seconds. */
public final class Chart {

    private static final int WIDTH = 1_000;
    private static final int HEIGHT = 260;
    private static final double BYTES_PER_MEGABYTE = 1_000_000;
    private static final String SVG = "http://www.w3.org/2000/svg";

    private final List<org.knowm.xchart.internal.chartpart.Chart<?, ?>> panels = new ArrayList<>();

    /** Adds jobs per second, depth, claim durations, dead tuples and size over the seconds. */
    public Chart addTimeline(List<Sample> samples) {
        addLines("jobs/s", samples, Map.of("jobs/s", Sample::jobsPerSecond));
        addLines("depth (jobs)", samples, Map.of("depth", sample -> real(sample.depth())));
        addLogarithmicLines(
                "claim (ms)", samples, Map.of("p50", Sample::claimP50Millis, "p99", Sample::claimP99Millis));
        addLines("dead tuples", samples, Map.of("dead tuples", sample -> real(sample.deadTuples())));
        addLines("size (MB)", samples, Map.of("size", Chart::megabytes));
        return this;
    }

    private static Double megabytes(Sample sample) {
        return sample.bytes() == null ? null : sample.bytes() / BYTES_PER_MEGABYTE;
    }

    private static Double real(Long value) {
        return value == null ? null : value.doubleValue();
    }

    private void addLines(String title, List<Sample> samples, Map<String, Function<Sample, Double>> series) {
        addLines(title, samples, series, value -> true).getStyler().setYAxisMin(0.0);
    }

    private void addLogarithmicLines(String title, List<Sample> samples, Map<String, Function<Sample, Double>> series) {
        XYChart panel = addLines(title, samples, series, value -> value > 0);
        // without a value there is no scale
        panel.getStyler().setYAxisLogarithmic(!panel.getSeriesMap().isEmpty());
    }

    private XYChart addLines(
            String title, List<Sample> samples, Map<String, Function<Sample, Double>> series, Predicate<Double> shown) {
        XYChart panel = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("s")
                .build();
        style(panel.getStyler());
        panel.getStyler().setXAxisMin(0.0);
        panel.getStyler().setLegendVisible(series.size() > 1);
        sorted(series).forEach((name, value) -> {
            List<Sample> seen = samples.stream()
                    .filter(sample -> value.apply(sample) != null && shown.test(value.apply(sample)))
                    .toList();
            if (!seen.isEmpty()) {
                panel.addSeries(
                                name,
                                seen.stream().map(Sample::seconds).toList(),
                                seen.stream().map(value).toList())
                        .setMarker(SeriesMarkers.NONE);
            }
        });
        panels.add(panel);
        return panel;
    }

    /**
     * Adds bars, a group for each name.
     *
     * @param bars the values of each series, one for each name
     */
    public Chart addBars(String title, List<String> names, Map<String, List<Double>> bars) {
        CategoryChart panel = new CategoryChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .build();
        style(panel.getStyler());
        panel.getStyler().setLegendVisible(bars.size() > 1);
        sorted(bars).forEach((series, values) -> panel.addSeries(series, names, values));
        panels.add(panel);
        return this;
    }

    /** Colours are given in turn, and a map may have another order in each run. */
    private static <V> Map<String, V> sorted(Map<String, V> series) {
        return new TreeMap<>(series);
    }

    private static void style(Styler styler) {
        styler.setChartBackgroundColor(Color.WHITE);
        // inside, so that the panels' axes are below each other
        styler.setLegendPosition(Styler.LegendPosition.InsideNW);
    }

    void writePng(Path file) throws IOException {
        BufferedImage image = new BufferedImage(WIDTH, HEIGHT * panels.size(), BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        paint(graphics);
        graphics.dispose();
        ImageIO.write(image, "png", file.toFile());
    }

    void writeSvg(Path file) throws IOException {
        SVGGeneratorContext context = SVGGeneratorContext.createDefault(emptySvg());
        context.setComment("Sluice bench");
        SVGGraphics2D graphics = new SVGGraphics2D(context, false);
        graphics.setSVGCanvasSize(new java.awt.Dimension(WIDTH, HEIGHT * panels.size()));
        paint(graphics);
        try (Writer writer = Files.newBufferedWriter(file)) {
            graphics.stream(writer, true);
        }
    }

    private static Document emptySvg() {
        try {
            return DocumentBuilderFactory.newInstance()
                    .newDocumentBuilder()
                    .getDOMImplementation()
                    .createDocument(SVG, "svg", null);
        } catch (ParserConfigurationException e) {
            throw new IllegalStateException(e);
        }
    }

    private void paint(Graphics2D graphics) {
        for (var panel : panels) {
            panel.paint(graphics, WIDTH, HEIGHT);
            graphics.translate(0, HEIGHT);
        }
    }
}

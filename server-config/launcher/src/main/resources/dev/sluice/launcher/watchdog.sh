# Ends the watched process and deletes the scratch directories once the JVM that started them is gone.
#
# arguments: the signals to try in turn before KILL, as one word; then the directories
# stdin:     a line each time the watched process changes: its id, or nothing. It closes when the JVM ends, however it ends.

# A terminal sends these to the whole process group: the watchdog has to stay behind its JVM.
trap '' INT TERM HUP
signals=$1
shift

pid=
while read -r line; do
  pid=$line
done

end_watched() {
  for signal in $signals KILL; do
    kill -s "$signal" "$pid" || return
    rounds=100
    while [ "$rounds" -gt 0 ] && kill -s 0 "$pid"; do
      # Not every sleep knows fractions of a second.
      sleep 0.1 || sleep 1
      rounds=$((rounds - 1))
    done
  done
}

if [ -n "$pid" ]; then
  end_watched
fi
# A killed server's children may write for a moment longer.
if [ $# -gt 0 ]; then
  rm -rf -- "$@" || { sleep 1 && rm -rf -- "$@"; }
fi

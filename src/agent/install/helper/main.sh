line=$(read_line)
printf '%s' "$line" | grep -qxE "$requests" || answer "refused: not a request"
# The pattern allows no characters that the shell would expand.
# shellcheck disable=SC2086
set -- $line
verb=$1
project=${2:-}
case $verb in run | app) project=${3:-} ;; esac
case "$verb $project" in
  show*) answer "gantry-isolate 2" ;;
esac
# What is only asked, and often, needs no folder.
case "$verb ${2:-}" in
  'app list') list_apps && exit ;;
  'app listens') listens "$4" "$5" ;;
esac
[ -d "$state" ] || mkdir -m 755 "$state" 2>/dev/null || true
work=$(mktemp -d "$state/request.XXXXXXXX")
trap 'rm -rf "$work"' EXIT
case $verb in
  own) own "$3" && answer ok ;;
  run) run "$2" "$4" "$5" "$6" "$7" "$8" "$9" "${10}" ;;
  app)
    case $2 in
      start) start_app "$4" "$5" "$6" "$7" "$8" "$9" "${10}" "${11}" ;;
      stop) stop_app "$4" ;;
    esac
    ;;
  read) read_repository "$3" ;;
  stop) end_units "gantry-build-$project-*" ;;
  running) list_running ;;
  end)
    case $3 in
      all) end_units "gantry-command-$project-*" ;;
      release) end_units "gantry-command-$project-$4-*" ;;
      run) end_units "gantry-command-$project-*-$4.service" ;;
      jobs) end_units "gantry-job-$project-*" ;;
      job) end_units "gantry-job-$project-*-$4.service" ;;
    esac
    ;;
  discard) discard ;;
  remove) remove ;;
esac

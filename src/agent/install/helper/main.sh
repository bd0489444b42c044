read_request
# What is only asked, and often, needs no folder.
case $verb in
  show) answer "gantry-isolate 3" ;;
  list) list_apps && exit ;;
  listens) listens ;;
esac
[ -d "$state" ] || mkdir -m 755 "$state" 2>/dev/null || true
work=$(mktemp -d "$state/request.XXXXXXXX")
trap 'rm -rf "$work"' EXIT
case $verb in
  own) own && answer ok ;;
  run) run ;;
  start) start_app ;;
  stop) stop_app ;;
  read) read_repository ;;
  running) list_running ;;
  end_build) end_units "gantry-build-$project-*" ;;
  end_commands) end_units "gantry-command-$project-*" ;;
  end_release) end_units "gantry-command-$project-$version-*" ;;
  end_run) end_units "gantry-command-$project-*-$marker.service" ;;
  end_jobs) end_units "gantry-job-$project-*" ;;
  end_job) end_units "gantry-job-$project-*-$marker.service" ;;
  discard) discard ;;
  remove) remove ;;
esac

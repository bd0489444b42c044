read_request
# In the names of units that run podman: the sandbox of other units refuses what it needs.
prefix=${engine:+$engine-}
if [ -n "$engine" ] && ! [ -e "$containers_conf" ]; then answer "failed: the server is not set up for containers"; fi
# What is only asked, and often, needs no folder.
case $verb in
  show)
    can=''
    if [ -e "$containers_conf" ]; then can=' containers'; fi
    answer "gantry-isolate 4$can"
    ;;
  list) list_apps && exit ;;
  listens) listens ;;
  ports) list_ports ;;
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
  end_build) end_units build "$project-*" ;;
  end_commands) end_units command "$project-*" ;;
  end_release) end_units command "$project-$version-*" ;;
  end_run) end_units command "$project-*-$marker.service" ;;
  end_jobs) end_units job "$project-*" ;;
  end_job) end_units job "$project-*-$marker.service" ;;
  discard) discard ;;
  remove) remove ;;
esac

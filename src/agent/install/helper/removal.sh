# Asks the processes of a unit to end, as its stop does later, while systemd does nothing yet.
prepare_end() {
  group=$(systemctl show --property=ControlGroup --value "$1")
  if [ -z "$group" ]; then return; fi
  case $(systemctl show --property=ActiveState --value "$1") in
    # The first process has ended. What it left can have been there for days, without the pipes of the unit.
    active) "$app_life" leave "$1" "$group" || true ;;
    *) "$app_life" watch "$1" "$group" || true ;;
  esac
}

# Ends units and answers with the names of the processes that were in them.
end_units() {
  ended=''
  for unit in $(units_like "$1" "$2"); do
    for pid in $(pids_of "$unit"); do
      ended="$ended $(tr -cd '[:alnum:]._-' <"/proc/$pid/comm" 2>/dev/null || true)/$pid"
    done
    prepare_end "$unit" &
  done
  wait
  for unit in $(units_like "$1" "$2"); do forget "$unit"; done
  answer "ended$ended"
}

# The releases and the numbers of the commands that left processes running.
list_running() {
  found=''
  for unit in $(units_like command "$project-*"); do
    rest=${unit#"gantry-command-$project-"}
    if [ -n "$(pids_of "$unit")" ]; then
      found="$found ${rest%%-*}-$(printf %s "${rest#*-}" | cut -d - -f 1)"
    fi
  done
  answer "running$found"
}

# Deletes what the agent has put aside, and cannot delete if a build created folders for itself alone.
discard() {
  enter ''
  set +f
  rm -rf --one-file-system -- ./*.bin ./tmp
  # Without a release, no container runs, and the images are of nothing.
  if [ -d containers ] && [ -z "$(ls releases 2>/dev/null)" ]; then rm -rf --one-file-system -- ./containers; fi
  if [ -d cache ]; then
    enter cache
    rm -rf --one-file-system -- ./*.part
  fi
  if [ -d "$home/projects/$project/logs" ]; then
    enter logs
    find . -mindepth 1 -maxdepth 1 ! -type f -exec rm -rf --one-file-system -- {} +
  fi
  answer ok
}

remove() {
  # All at once. Who removes a project does not wait for its requests.
  timeout 10 systemctl stop "gantry-*-$project-*" >/dev/null 2>&1 ||
    systemctl kill --signal=KILL "gantry-*-$project-*" >/dev/null 2>&1 || true
  for unit in $(units_like '*' "$project-*"); do forget "$unit"; done
  if [ -d "$apps" ]; then find "$apps" -name "gantry-app-*$project-*" -delete; fi
  if [ -d "$home/projects/$project" ]; then
    enter ''
    cd ..
    rm -rf --one-file-system -- "./$project"
  fi
  if getent passwd "$project" >/dev/null; then
    # Not while it runs something that the helper did not start, such as a service of the administrator.
    flock "$state/users.lock" userdel "$project" >"$work/message" 2>&1 ||
      answer "failed: the user $project cannot be deleted: $(head -c 300 "$work/message" | tr '\n' ' ')"
  fi
  answer ok
}

#!/bin/sh
# Runs the commands of projects, each as its project's own user in a sandbox of systemd. Written by install.sh.
# gantry-isolate.socket starts it as root for each connection of the agent, which has no other way to do this. Nothing
# that the agent sends is trusted: a request is one line that matches a pattern below as a whole, and the answer is one line.
set -euf
umask 077
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

home=%HOME%
agent=%USER%
# The agent is a member, and no project user is: it may change the folders that a build made.
group=gantry-isolate
state=/run/gantry-isolate
longest_job=1000000

answer() {
  printf '%s\n' "$*"
  exit 0
}

# Reads a line byte by byte, because what follows it belongs to another reader.
# shellcheck disable=SC2016
read_line() { timeout 10 sh -c 'IFS= read -r line; printf "%s" "$line"' || true; }

id='proj_[0-7][0-9a-hjkmnp-tv-z]{25}'
version='[1-9][0-9]{0,14}'
limits='(infinity|[1-9][0-9]{0,7}) [1-9][0-9]{0,4} [1-9][0-9]{0,6}'
marker='[a-z][a-z0-9_-]{0,99}'
requests="show|own $id $version|run (build|cache|command) $id $version [1-9][0-9]{0,5} $marker $limits [1-9][0-9]{0,6}"
requests="$requests|stop $id|running $id|end $id (all|release $version|run $marker)|discard $id|remove $id"

# Makes a folder of the project the working folder. From there on it cannot be replaced with a link to another one.
enter() {
  cd -P "$home/projects/$project/$1" 2>/dev/null || answer "refused: the project has no folder $1"
  [ "$(pwd -P)" = "$real_home/projects/$project${1:+/$1}" ] || answer "refused: a link leads out of the project"
}

# The project's own processes may signal this one, which is outside of the sandbox, so its time is limited. They cannot
# look into it or change it, because it has a capability that they lack.
as_project() {
  timeout --kill-after=1 300 setpriv --reuid="$project" --regid="$project" --groups="$group" \
    --inh-caps=+audit_write --ambient-caps=+audit_write -- "$@" 2>/dev/null || true
}

make_user() {
  if getent passwd "$project" >/dev/null; then return; fi
  # Not from the range of the system's users, which has fewer numbers than an account can have projects. Another request
  # for the project may be first.
  flock "$state/users.lock" useradd --system --user-group --home-dir "$home/projects/$project/home" --no-create-home \
    --key SYS_UID_MIN=40000 --key SYS_UID_MAX=59999 --key SYS_GID_MIN=40000 --key SYS_GID_MAX=59999 \
    --shell /usr/sbin/nologin --comment "Gantry project" "$project" >"$work/message" 2>&1 ||
    getent passwd "$project" >/dev/null ||
    answer "failed: the user $project cannot be created: $(head -c 300 "$work/message" | tr '\n' ' ')"
}

make_home() {
  enter ''
  mkdir home private-tmp 2>/dev/null || true
  enter home
  chown "$project:$group" .
  chmod 750 .
  # The commands' /tmp. It is not in a folder of the project's user, who could replace it with a link, and systemd would
  # mount what that leads to. What nobody has used for ten days is deleted, as in the system's.
  enter private-tmp
  chown "$project:$group" .
  chmod 700 .
  as_project find . -xdev -mindepth 1 -depth -mtime +10 -atime +10 -delete
}

# The copies of installed dependencies. The agent may rename its folders, and no command of the project sees it.
make_cache() {
  enter ''
  mkdir cache 2>/dev/null || true
  enter cache
  chown "$project:$group" .
  chmod 770 .
}

# Gives a release and the shared files to the project's user, whatever their modes: the agent may read and replace them.
# Only the agent's own files change their owner. Modes are changed as the project's user, who can change no others.
own() {
  make_user
  make_home
  enter "releases/$1"
  chown -R -h -P --from="$agent" "$project:$group" .
  chmod u+rwx .
  as_project chmod -R u+rwX,g+rwX,ug-s .
  as_project chgrp -R -h -P "$group" .
  if [ -d "$home/projects/$project/shared" ]; then
    enter shared
    # Files keep their group, because a web server may read them by it.
    chown -R -h -P --from="$agent" "$project" .
    as_project find . -xdev -type d ! -perm -0070 -exec chgrp "$group" {} + -exec chmod u+rwx,g+rwx {} +
  fi
}

# The pids in a unit's control group: with cgroup v2, and with v1.
pids_of() {
  path=$(systemctl show --property=ControlGroup --value "$1")
  if [ -z "$path" ]; then return; fi
  for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    cat "$tree$path/cgroup.procs" 2>/dev/null || true
  done | sort -u
}

units_like() { systemctl list-units --all --plain --no-legend --full "$1" | cut -d ' ' -f 1; }

forget() {
  systemctl stop "$1" >/dev/null 2>&1 || true
  systemctl reset-failed "$1" >/dev/null 2>&1 || true
}

# Opens what the unit writes to, as the descriptors 3 and 4. The unit opens both again by descriptor, because the agent
# could replace a path with a link. A build writes to pipes, so that it waits while the agent has no room.
open_pipes() {
  mkfifo -m 640 "$work/stdout" "$work/stderr"
  chown "$project:$group" "$work/stdout" "$work/stderr"
  chgrp "$group" "$work"
  chmod 710 "$work"
  exec 3<>"$work/stdout" 4<>"$work/stderr"
  mode=file folder=$work
}

# A command writes to files, because its app continues without the agent.
open_files() {
  enter output
  for stream in stdout stderr; do
    if [ -e "$1.$stream" ]; then answer "failed: the output file $1.$stream exists already"; fi
  done
  set -C
  exec 3>"$1.stdout" 4>"$1.stderr"
  set +C
  chown "$project:$group" /proc/self/fd/3 /proc/self/fd/4
  chmod 660 /proc/self/fd/3 /proc/self/fd/4
  mode=append folder=$home/projects/$project/output
}

run() {
  kind=$1 number=$3 memory=$5 cpu=$6 tasks=$7
  # A copy to or from the cache is a unit of the build, with its limits and its end.
  class=$kind
  if [ "$kind" = cache ]; then class=build; fi
  unit=gantry-$class-$project-$2-$number-$4.service
  [ "$8" -le "$longest_job" ] || answer "refused: the command and its variables are larger than $longest_job bytes"
  timeout 30 head -c "$8" >"$work/job" || true
  [ "$(wc -c <"$work/job")" -eq "$8" ] || answer "refused: the job is incomplete"
  own "$2"
  forget "$unit"
  if [ "$class" = build ]; then open_pipes; else open_files "$2-$number"; fi
  places="-$home/projects/$project/shared $home/projects/$project/home"
  if [ "$kind" = cache ]; then
    make_cache
    places=$home/projects/$project/cache
  fi
  exec 5<"$work/job"
  rm -f "$work/job"
  printf 'output %s\n' "$folder"
  [ "$(read_line)" = go ] || answer "refused: the agent has ended"
  releases=$home/projects/$project/releases
  case $memory in infinity) ;; *) memory=${memory}M ;; esac
  systemd-run --quiet --unit="$unit" --slice="gantry-$class.slice" --description="Gantry $kind of $project" \
    --property=Type=oneshot --property=RemainAfterExit=yes --property=User="$project" --property=Group="$project" \
    --property=StandardInput="file:/proc/$$/fd/5" --property=StandardOutput="$mode:/proc/$$/fd/3" \
    --property=StandardError="$mode:/proc/$$/fd/4" \
    --property=TemporaryFileSystem="$home:mode=0755,nr_inodes=1k,size=1M" --property=BindReadOnlyPaths="$releases -$home/tools" \
    --property=BindPaths="$releases/$2 $places" \
    --property=BindPaths="$home/projects/$project/private-tmp:/tmp $home/projects/$project/private-tmp:/var/tmp" \
    --property=MemoryMax="$memory" --property=MemorySwapMax="$memory" --property=CPUWeight="$cpu" --property=TasksMax="$tasks" \
    /bin/sh -s >"$work/message" 2>&1 || true
  result=$(systemctl show --property=Result --value "$unit")
  code=$(systemctl show --property=ExecMainCode --value "$unit")
  status=$(systemctl show --property=ExecMainStatus --value "$unit")
  if [ "$code" = 0 ]; then
    forget "$unit"
    answer "failed: $(head -c 500 "$work/message" | tr '\n' ' ')"
  fi
  left=no
  if [ "$class" = build ]; then
    forget "$unit"
    own "$2"
  fi
  if [ "$kind" = command ] && [ -n "$(pids_of "$unit")" ]; then left=yes; else forget "$unit"; fi
  exec 3>&- 4>&-
  answer "end $result $code $status $left"
}

# Ends units and answers with the names of the processes that were in them.
end_units() {
  ended=''
  for unit in $(units_like "$1"); do
    for pid in $(pids_of "$unit"); do
      ended="$ended $(tr -cd '[:alnum:]._-' <"/proc/$pid/comm" 2>/dev/null || true)/$pid"
    done
    forget "$unit"
  done
  answer "ended$ended"
}

# The releases and the numbers of the commands that left processes running.
list_running() {
  found=''
  for unit in $(units_like "gantry-command-$project-*"); do
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
  if [ -d cache ]; then
    enter cache
    rm -rf --one-file-system -- ./*.part
  fi
  answer ok
}

remove() {
  for unit in $(units_like "gantry-*-$project-*"); do forget "$unit"; done
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

mkdir -m 755 "$state" 2>/dev/null || true
real_home=$(cd -P "$home" && pwd -P)
line=$(read_line)
printf '%s' "$line" | grep -qxE "$requests" || answer "refused: not a request"
work=$(mktemp -d "$state/request.XXXXXXXX")
trap 'rm -rf "$work"' EXIT
# The pattern allows no characters that the shell would expand.
# shellcheck disable=SC2086
set -- $line
verb=$1
project=${2:-}
case $verb in run) project=$3 ;; esac
case $verb in
  show) answer "gantry-isolate 1" ;;
  own) own "$3" && answer ok ;;
  run) run "$2" "$4" "$5" "$6" "$7" "$8" "$9" "${10}" ;;
  stop) end_units "gantry-build-$project-*" ;;
  running) list_running ;;
  end)
    case $3 in
      all) end_units "gantry-command-$project-*" ;;
      release) end_units "gantry-command-$project-$4-*" ;;
      run) end_units "gantry-command-$project-*-$4.service" ;;
    esac
    ;;
  discard) discard ;;
  remove) remove ;;
esac

#!/bin/sh
# systemd runs this as root around each start of an app's instance: `before UNIT` waits before a restart,
# `stop UNIT` asks all of its processes to end, `after UNIT` records how it ended. For a build, a command and a job,
# `left UNIT` asks what its first process has left to end; the helper runs `watch UNIT GROUP` before it stops the unit,
# and `leave UNIT GROUP` if its first process has ended long ago. Written by install.sh.
set -euf
umask 077
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

unit=$2
# The isolation helper makes this folder, reads the files, and deletes them when the instance is stopped.
# life: since the last start: time in ms, the same in uptime, delay before it, OOM kills, restarts, CPU time in us, control group
life=/run/gantry-isolate/apps/$2.life
# grace: the stop signal, and how many seconds the instance may take to end
grace=/run/gantry-isolate/apps/$2.grace
# end: delay until the next start, restarts, how it ended, with which code or signal, whether out of memory
end=/run/gantry-isolate/apps/$2.end

# catching: the processes of a command that had a handler for the stop signal before it was stopped
catching_file=/run/gantry-isolate/$2.catching

# Delays and uptimes are in tenths of a second.
first_pause=2
longest_pause=600
long_life=600

read_uptime() {
  read -r seconds _ </proc/uptime
  fraction=${seconds#*.}
  now=${seconds%.*}${fraction%?}
}

# Reads this unit's control group, with what only cgroup v2 says of it: the processes that the kernel has ended at the
# memory limit, and the CPU time.
read_group() {
  group='' ooms=0 cpu=0
  while IFS=: read -r number controllers path; do
    case $number:$controllers in 0: | *:name=systemd) group=$path ;; esac
  done </proc/self/cgroup
  ooms=$(value_of oom_kill memory.events)
  cpu=$(value_of usage_usec cpu.stat)
}

value_of() {
  found=0
  if [ -r "/sys/fs/cgroup$group/$2" ]; then
    while read -r name value; do
      if [ "$name" = "$1" ]; then found=$value; fi
    done <"/sys/fs/cgroup$group/$2"
  fi
  echo "$found"
}

is_early() {
  read_uptime
  [ "$now" -lt "$deadline" ]
}

# Reads the processes of this unit's control group, except this one: with cgroup v2, and with v1. It starts no program,
# which would be one of them.
read_others() {
  others=''
  for tree in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/systemd; do
    if [ ! -r "$tree$group/cgroup.procs" ]; then continue; fi
    while read -r pid; do
      # A server with both versions lists each process in two trees.
      case " $others $$ " in *" $pid "*) continue ;; esac
      others="$others $pid"
    done <"$tree$group/cgroup.procs"
  done
}

# Reads a field of /proc/PID/status, which is empty if the process has ended.
read_field() {
  field=''
  while read -r name value; do
    if [ "$name" = "$2:" ]; then
      field=$value
      break
    fi
  done 2>/dev/null <"/proc/$1/status" || true
}

# Whether a process has a handler for the stop signal.
catches() {
  read_field "$1" SigCgt
  # The last four of the 16 digits are the signals 1 to 16.
  [ "$((0x0${field#????????????} >> (number - 1) & 1))" -eq 1 ]
}

read_number() {
  case $signal in
    HUP) number=1 ;;
    INT) number=2 ;;
    QUIT) number=3 ;;
    KILL) number=9 ;;
    USR1) number=10 ;;
    USR2) number=12 ;;
    *) number=15 ;;
  esac
}

# The process that gets the stop signal. In a container, the main process of the unit only waits for the container's first
# one, which is its oldest child. The kernel says which it is: a file of the project could be a link to a device.
read_first() {
  first=$MAINPID
  case $unit in gantry-app-podman-*) ;; *) return 0 ;; esac
  if ! read -r pid _ <"/proc/$MAINPID/task/$MAINPID/children"; then return 0; fi 2>/dev/null
  read_others
  case " $others " in *" $pid "*) first=$pid ;; esac
}

# Sends the stop signal once to each process that the end of its parent has left. A process whose parent still runs gets
# it from its parent, as the programs of npm do, or when the parent has ended.
signal_orphans() {
  for pid in $others; do
    case " $signalled " in *" $pid "*) continue ;; esac
    read_field "$pid" PPid
    if [ -z "$field" ]; then continue; fi
    case " $others " in *" $field "*) continue ;; esac
    signalled="$signalled $pid"
    # Without its handler, it has got the signal from its parent and is finishing. A second one would end it at once.
    case " $catching " in *" $pid "*) catches "$pid" || continue ;; esac
    kill -s "$signal" "$pid" 2>/dev/null || true
  done
}

# The processes of the group that have a handler for the stop signal.
read_catching() {
  read_others
  catching=''
  for pid in $others; do
    if catches "$pid"; then catching="$catching $pid"; fi
  done
}

# Waits until what the end of the first process has left ends too, and kills it after the deadline.
end_others() {
  signalled=''
  read_others
  while [ -n "$others" ] && is_early; do
    signal_orphans
    sleep 0.05
    read_others
  done
  # Not quoted, because it is a list.
  # shellcheck disable=SC2086
  if [ -n "$others" ]; then kill -s KILL $others 2>/dev/null || true; fi
}

# Writes a line to a file, atomically: the helper may read it at any time.
note() {
  printf '%s\n' "$2" >"$1.new"
  mv -f "$1.new" "$1"
}

# Reads the delay before the next start, and how many restarts there are with it.
read_end() {
  pause=$first_pause restarts=0
  if [ -e "$end" ]; then
    read -r pause restarts _ <"$end"
    restarts=$((restarts + 1))
  fi
}

case $1 in
  before)
    read_end
    # systemd itself has waited for the first part of it.
    left=$((pause - first_pause))
    if [ "$left" -gt 0 ]; then
      # When the instance is stopped, this gets its stop signal.
      trap 'exit 1' TERM INT QUIT HUP USR1 USR2
      sleep "$((left / 10)).$((left % 10))" &
      wait $!
    fi
    read_uptime
    read_group
    note "$life" "$(date +%s%3N) $now $pause $ooms $restarts $cpu $group"
    ;;
  stop)
    # Without MAINPID, the instance has ended by itself.
    if [ -z "${MAINPID:-}" ] || ! read -r signal most <"$grace"; then exit 0; fi
    signal=${signal#SIG}
    read_group
    read_uptime
    # A second later, systemd would send its own signal and wait again.
    deadline=$((now + most * 10))
    read_number
    read_catching
    # The first process alone at first, because some pass the signal on. A shell does not: it ends, and leaves its command.
    read_first
    kill -s "$signal" "$first" 2>/dev/null || true
    while [ -e "/proc/$MAINPID" ] && is_early; do sleep 0.05; done
    end_others
    ;;
  watch)
    group=$3 signal=TERM
    read_number
    # After the first stop request, ending processes may no longer have a handler.
    if [ -e "$catching_file" ]; then exit 0; fi
    read_catching
    note "$catching_file" "$catching"
    ;;
  leave | left)
    signal=TERM catching=''
    if [ "$1" = leave ]; then group=$3; else read_group; fi
    read_number
    if [ "$1" = leave ]; then
      read_catching
    elif [ -e "$catching_file" ]; then
      read -r catching <"$catching_file"
    fi
    read_uptime
    # A second before systemd's own limit.
    deadline=$((now + 100))
    end_others
    rm -f "$catching_file"
    ;;
  after)
    read_uptime
    read_group
    if [ -e "$life" ]; then
      read -r _ since pause ooms_before restarts _ <"$life"
    else
      # `before` was killed, and the instance started without it.
      read_end
      since=$now ooms_before=$ooms
    fi
    is_oom=no
    case ${SERVICE_RESULT:-} in
      oom-kill) is_oom=yes ;;
      signal) if [ "${EXIT_STATUS:-}" = KILL ] && [ "$ooms" -gt "$ooms_before" ]; then is_oom=yes; fi ;;
    esac
    if [ "$restarts" -gt 0 ]; then pause=$((pause * 2)); fi
    if [ "$pause" -gt "$longest_pause" ]; then pause=$longest_pause; fi
    if [ $((now - since)) -ge "$long_life" ]; then pause=$first_pause; fi
    note "$end" "$pause $restarts ${EXIT_CODE:-exited} ${EXIT_STATUS:-1} $is_oom"
    # Until the next start, the instance does not run.
    rm -f "$life"
    ;;
esac

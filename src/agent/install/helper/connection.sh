#!/bin/sh
# Runs the commands and apps of projects, each as its project's own user in a sandbox of systemd. Written by install.sh.
# gantry-isolate.socket starts it as root for each connection of the agent, which has no other way to do this. Nothing
# that the agent sends is trusted: a request is one line that matches a pattern below as a whole, and the answer is one line.
set -euf
umask 077
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

home=%HOME%
agent=%USER%
app_life=%APP_LIFE%
# The agent is a member, and no project user is: it may change the folders that a build made.
group=gantry-isolate
state=/run/gantry-isolate
# For each instance of an app: its job, for root alone because it contains secrets, and what app-life.sh records.
apps=$state/apps
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
requests="show|own $id $version|run (build|cache|command|job) $id $version [1-9][0-9]{0,5} $marker $limits [1-9][0-9]{0,6}"
instance='[a-z][a-z0-9_-]{0,29}-[1-9][0-9]{0,14}-[0-9]{1,2}'
requests="$requests|app start $id $version $instance $limits SIG(TERM|INT|QUIT|HUP|USR1|USR2) [0-9]{1,3} [1-9][0-9]{0,6}"
requests="$requests|app stop $id $instance|app list( $id)?|app listens $id $instance [1-9][0-9]{0,4}"
requests="$requests|read $id [1-9][0-9]{0,3}|stop $id|running $id|end $id (all|release $version|run $marker|jobs|job $marker)|discard $id|remove $id"

# Makes a folder of the project the working folder. From there on it cannot be replaced with a link to another one.
enter() {
  real_home=$(cd -P "$home" && pwd -P)
  cd -P "$home/projects/$project/$1" 2>/dev/null || answer "refused: the project has no folder $1"
  [ "$(pwd -P)" = "$real_home/projects/$project${1:+/$1}" ] || answer "refused: a link leads out of the project"
}

# The project's own processes may signal this one, which is outside of the sandbox, so its time is limited. They cannot
# look into it or change it, because it has a capability that they lack.
as_project() {
  timeout --kill-after=1 300 setpriv --reuid="$project" --regid="$project" --groups="$group" \
    --inh-caps=+audit_write --ambient-caps=+audit_write -- "$@" 2>/dev/null || true
}

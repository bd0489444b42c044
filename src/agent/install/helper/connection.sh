#!/bin/sh
# Runs the commands and apps of projects, each as its project's own user in a sandbox of systemd. Written by install.sh.
# gantry-isolate.socket starts it as root for each connection of the agent, which has no other way to do this. Nothing
# that the agent sends is trusted: a request is a JSON object on one line, whose fields all match a pattern below, and the
# answer is one line.
set -euf
umask 077
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C

home=%HOME%
agent=%USER%
app_life=%APP_LIFE%
# The settings of podman. They exist if the server was set up for containers.
containers_conf=%CONTAINERS_CONF%
# What a container has in memory while it runs: a folder for each unit, which systemd makes and removes.
containers=/run/gantry-containers
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

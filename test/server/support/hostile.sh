# A build, an activate command or a process that tries forbidden actions. Prints one line for each attempt: `<name>
# refused` or `<name> SUCCEEDED`. Needs HOME_OF_AGENT, SELF, VICTIM, AGENT_PID, VICTIM_PID, VICTIM_PORT. As root and
# without a sandbox, each attempt succeeds, which a test checks.
projects=$HOME_OF_AGENT/projects
try() {
  name=$1
  shift
  if "$@" >/dev/null 2>&1; then echo "$name SUCCEEDED"; else echo "$name refused"; fi
}
shell() { sh -c "$1"; }

try "read the credential" cat $HOME_OF_AGENT/agent.json
try "read the seal key" cat $HOME_OF_AGENT/seal.json
try "list the agent's folders" ls $HOME_OF_AGENT/git-ssh
try "read the policy" cat /etc/gantry/policy.json
try "see the other project" ls -d $projects/$VICTIM
try "read the other release" cat $projects/$VICTIM/current/server.mjs
try "read the other repository" ls $projects/$VICTIM/mirror.git/objects
try "read the other shared file" cat $projects/$VICTIM/shared/.env
try "switch the other project" ln -sfn /tmp $projects/$VICTIM/current
try "write the other release" touch $projects/$VICTIM/releases/1/planted
try "write its own record" touch $projects/$SELF/releases/99.json
try "make its own release current" ln -sfn releases/1 $projects/$SELF/current.new
try "read its own run" cat $projects/$SELF/run.json
try "write to the tools of builds" touch $HOME_OF_AGENT/tools/planted
try "change a tool of builds" shell 'echo planted >> $HOME_OF_AGENT/tools/tool'
try "see its own cache" ls $projects/$SELF/cache
try "write to its own cache" touch $projects/$SELF/cache/planted
try "write the list of its cache" touch $projects/$SELF/cache.json
try "see the other cache" ls $projects/$VICTIM/cache
try "see the agent" ls -d /proc/$AGENT_PID
try "see the other app" ls -d /proc/$VICTIM_PID
try "read a secret in an environment" shell 'grep -qz "^PORT=$VICTIM_PORT$" /proc/[0-9]*/environ'
try "end the agent" kill -9 $AGENT_PID
try "end the other app" kill -9 $VICTIM_PID
try "end the first process" kill -9 1
try "see where requests are led" ls /run/gantry
try "see the jobs of instances" ls /run/gantry-isolate/apps
try "talk to the helper" node -e 'require("net").connect("/run/gantry-isolate.sock").on("connect", () => process.exit(0)).on("error", () => process.exit(1))'
try "talk to systemd" systemctl restart gantry-agent
try "see D-Bus" test -S /run/dbus/system_bus_socket
try "start a unit" systemd-run --quiet true
try "become root" setpriv --reuid=0 true
try "make a user namespace" unshare --user true
try "mount" mount -t tmpfs none /mnt
try "write to the system" touch /usr/local/bin/planted
try "write to /etc" touch /etc/planted
try "see home folders" shell 'ls -A /root /home | grep ada'
try "see other files in /tmp" shell 'ls -A /tmp | grep other'
try "see other files in /dev/shm" shell 'ls -A /dev/shm | grep other'
try "make a program with another user's rights" shell 'cp /bin/sh suid; chmod u+s suid'
try "make a device" mknod null c 1 3
echo "finished as $(id -un)"

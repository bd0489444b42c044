# The isolation helper, which root owns and which runs each project's commands as the project's user.
write_isolate() {
  sed "s,^home=%HOME%\$,home=$home,; s,^agent=%USER%\$,agent=$user,; s,^app_life=%APP_LIFE%\$,app_life=$app_life,; s,^containers_conf=%CONTAINERS_CONF%\$,containers_conf=$containers_conf," <<'END'
@ISOLATE_HELPER@
END
}

write_app_life() {
  cat <<'END'
@APP_LIFE@
END
}

write_isolate_socket() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update.
[Unit]
Description=Runs projects as their own users, for the Gantry agent

[Socket]
ListenStream=$isolate_socket
SocketUser=$user
SocketMode=0600
Accept=yes
MaxConnections=512
# The agent asks for many projects at once when it starts. systemd would close the socket and not open it again.
TriggerLimitIntervalSec=0
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
END
}

write_isolate_service() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update.
[Unit]
Description=A request of the Gantry agent
CollectMode=inactive-or-failed

[Service]
ExecStart=$isolate
StandardInput=socket
StandardOutput=socket
StandardError=journal
OOMScoreAdjust=-100
MemoryMax=512M
END
}

# For all units whose names begin with gantry-$1-. Values that depend on the project are set by the helper.
write_sandbox() {
  cat <<END
# Written by $origin/install.sh, and replaced by every update. To change it, add another file to this folder.
[Service]
UMask=0022
# Of what the agent has, a unit sees only its project's releases, shared files and home folder. It may write to its own
# release, the shared files and the home folder.
ProtectSystem=strict
ProtectHome=tmpfs
InaccessiblePaths=-/run/gantry -/run/gantry-ingress -/run/gantry-isolate -$isolate_socket -$settings -/run/dbus -/run/systemd/private
PrivateDevices=yes
TemporaryFileSystem=/dev/shm:mode=1777
PrivateIPC=yes
$(confinement)
END
  case $1 in
    build)
      cat <<END
KillMode=mixed
# The first process gets the stop signal from systemd, and the others from this when they are left. What is left after
# that is killed.
ExecStopPost=-+$app_life left %n
TimeoutStopSec=11
# At the memory limit the build ends, and if the server has no memory left, a build is the first to end.
OOMPolicy=stop
OOMScoreAdjust=500
IOWeight=50
END
      ;;
    read)
      cat <<END
# As a build. Nothing of a repository is lost when its reading ends at once.
TimeoutStopSec=2
OOMPolicy=stop
OOMScoreAdjust=500
IOWeight=50
END
      ;;
    command | job)
      cat <<END
KillMode=mixed
# The first process gets the stop signal from systemd, and the others from this when they are left. What is left after
# that is killed.
ExecStopPost=-+$app_life left %n
TimeoutStopSec=11
# A supervisor of several processes decides itself what to do without one of them.
OOMPolicy=continue
OOMScoreAdjust=100
END
      ;;
    app)
      cat <<END
Restart=always
RestartSec=200ms
# The delay before each restart of an instance, which grows up to 60 s, and the record of how it ended.
ExecStartPre=-+$app_life before %n
ExecStop=-+$app_life stop %n
ExecStopPost=-+$app_life after %n
TimeoutStartSec=120
# What is left after that is killed.
KillMode=mixed
# Its script sends its output to the project's folder logs.
StandardOutput=null
StandardError=null
CPUAccounting=yes
MemoryAccounting=yes
# An app with several processes decides itself what to do without one of them.
OOMPolicy=continue
OOMScoreAdjust=100

[Unit]
# Restart without a limit, and leave nothing behind when it is stopped.
StartLimitIntervalSec=0
CollectMode=inactive-or-failed
END
      ;;
  esac
}

# Writes the standard input to the file $1 with the mode $2, atomically.
place() {
  cat >"$1.new" || fail 13 "$1 cannot be written."
  chmod "$2" "$1.new"
  mv -f "$1.new" "$1"
}

install_isolation() {
  getent group "$isolate_group" >/dev/null || groupadd --system "$isolate_group" ||
    fail 1 "the group $isolate_group cannot be created."
  write_isolate | place "$isolate" 755
  write_app_life | place "$app_life" 755
  write_isolate_socket | place /etc/systemd/system/gantry-isolate.socket 644
  write_isolate_service | place /etc/systemd/system/gantry-isolate@.service 644
  for kind in build read command app job; do
    mkdir -p "/etc/systemd/system/gantry-$kind-.service.d"
    write_sandbox $kind | place "/etc/systemd/system/gantry-$kind-.service.d/10-gantry.conf" 644
  done
  install_containers
  systemctl daemon-reload
  systemctl enable --quiet --now gantry-isolate.socket || fail 1 "gantry-isolate.socket does not start."
}

remove_isolation() {
  systemctl disable --now --quiet gantry-isolate.socket 2>/dev/null || true
  # Without the helper nobody could stop them.
  systemctl stop 'gantry-app-*' 2>/dev/null || true
  remove_containers
  rm -rf "$isolate" "$app_life" /etc/systemd/system/gantry-isolate.socket /etc/systemd/system/gantry-isolate@.service \
    /etc/systemd/system/gantry-build-.service.d /etc/systemd/system/gantry-read-.service.d \
    /etc/systemd/system/gantry-command-.service.d \
    /etc/systemd/system/gantry-app-.service.d /etc/systemd/system/gantry-job-.service.d /run/gantry-isolate "$isolate_socket"
}

# Ends what projects run, and deletes their users.
remove_project_users() {
  systemctl stop 'gantry-build-*' 'gantry-read-*' 'gantry-command-*' 'gantry-job-*' 2>/dev/null || true
  systemctl reset-failed 'gantry-build-*' 'gantry-read-*' 'gantry-command-*' 'gantry-job-*' 2>/dev/null || true
  systemctl stop gantry.slice 2>/dev/null || true
  getent passwd | awk -F : -v home="$home/projects/" '$1 ~ /^proj_[0-9a-z]+$/ && index($6, home) == 1 { print $1 }' |
    while read -r project; do
      userdel "$project" 2>/dev/null ||
        log "the user $project is kept, because processes of it run. End them, and run: userdel $project"
    done
  if getent group "$isolate_group" >/dev/null; then groupdel "$isolate_group"; fi
}

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

# The project's images and containers, and the ids of the users in them: 65,536 for each project.
make_containers() {
  if ! grep -q "^$project:" /etc/subuid || ! grep -q "^$project:" /etc/subgid; then
    first=$((700000000 + ($(id -u "$project") - 40000) * 65536))
    flock "$state/users.lock" usermod --add-subuids "$first-$((first + 65535))" --add-subgids "$first-$((first + 65535))" "$project" \
      >"$work/message" 2>&1 || answer "failed: $project cannot get user ids: $(head -c 300 "$work/message" | tr '\n' ' ')"
  fi
  enter ''
  mkdir containers 2>/dev/null || true
  enter containers
  chown "$project:$project" .
  chmod 700 .
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

# What the instances of apps print. The agent may read, shorten and delete the files.
make_logs() {
  enter ''
  mkdir logs 2>/dev/null || true
  enter logs
  chown -R -h -P --from="$agent" "$project:$group" .
  chown "$project:$group" .
  # Files get the folder's group.
  chmod 2770 .
}

# Gives a release and the shared files to the project's user, whatever their modes: the agent may read and replace them.
# Only the agent's own files change their owner. Modes are changed as the project's user, who can change no others.
own() {
  make_user
  make_home
  enter "releases/$version"
  own_release
  own_shared
}

own_release() {
  chown -R -h -P --from="$agent" "$project:$group" .
  chmod u+rwx .
  as_project chmod -R u+rwX,g+rwX,ug-s .
  as_project chgrp -R -h -P "$group" .
}

own_shared() {
  if [ -d "$home/projects/$project/shared" ]; then
    enter shared
    # Files keep their group, because a web server may read them by it.
    chown -R -h -P --from="$agent" "$project" .
    as_project find . -xdev -type d ! -perm -0070 -exec chgrp "$group" {} + -exec chmod u+rwx,g+rwx {} +
  fi
}

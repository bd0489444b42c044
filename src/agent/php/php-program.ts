/**
 * The program `gantry-php`. A shell, because one waits for each instance, and takes 2 MB where Node takes more than 40.
 * `@…@` is replaced when it is written.
 */
export const PHP_PROGRAM = `#!/bin/sh
# Serves a PHP app on 127.0.0.1:$PORT: gantry-php [FOLDER]. PHP-FPM runs the scripts of FOLDER, and Caddy serves its other
# files. Requests for what is not there go to index.php. Written by the agent at each of its starts.
set -u

# The program of the ingress, if this server has one of its own.
ingress_caddy=@INGRESS_CADDY@
# Whether this is a computer of a developer.
is_local=@IS_LOCAL@

fail() {
  printf 'gantry-php: %s\\n' "$1" >&2
  exit 1
}

case \${PORT:-} in '' | *[!0-9]*) fail 'the variable PORT must have the port to listen on' ;; esac
# It becomes a line of the settings of PHP-FPM, where a second line could be any setting.
case \${WEB_CONCURRENCY:-10} in *[!0-9]*) fail 'the variable WEB_CONCURRENCY must be a number' ;; esac
folder=\${1:-.}
cd "$folder" 2>/dev/null || fail "there is no folder $folder"
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# PHP-FPM of the PHP that has installed the packages, because both must have the same version and extensions.
php_fpm='' version=''
if command -v php >/dev/null; then
  version=$(php -n -r 'echo PHP_MAJOR_VERSION, ".", PHP_MINOR_VERSION;')
  prefix=$(php -n -r 'echo dirname(PHP_BINDIR);')
  set -- "$prefix/sbin/php-fpm$version" "$prefix/sbin/php-fpm" "php-fpm$version"
else
  set -- php-fpm
fi
for program in "$@"; do
  if php_fpm=$(command -v "$program"); then break; fi
done
caddy=$ingress_caddy
if ! [ -x "$caddy" ]; then caddy=$(command -v caddy || true); fi

if [ -z "$php_fpm" ] || [ -z "$caddy" ]; then
  if [ $is_local = yes ] && [ -n "$version" ]; then
    echo "gantry-php: PHP-FPM or Caddy is missing here, so PHP's development server answers, one request at a time: it is not for production" >&2
    exec php -S "127.0.0.1:$PORT"
  fi
  [ -n "$version" ] || fail "PHP is missing on this server: apt-get install php-cli php-fpm"
  [ -n "$php_fpm" ] || fail "PHP-FPM $version is missing on this server: apt-get install php$version-fpm"
  fail "Caddy is missing on this server: install the ingress, or caddy 2.8 or newer"
fi

# Only this user may connect to PHP-FPM, because PHP-FPM runs any code that a client sends.
work=$(mktemp -d /tmp/gantry-php.XXXXXX) || fail '/tmp is not writable'

cat >"$work/fpm.conf" <<END
[global]
daemonize = no
error_log = /dev/null
log_level = warning
pid = $work/fpm.pid
process_control_timeout = 1h
[web]
listen = $work/fpm.sock
pm = ondemand
pm.max_children = \${WEB_CONCURRENCY:-10}
pm.process_idle_timeout = 60s
clear_env = no
catch_workers_output = yes
decorate_workers_output = no
php_admin_flag[log_errors] = on
php_admin_value[error_log] = /proc/self/fd/2
END

# Without a folder of its own for public files, the sources are beside them.
private=''
if [ "$folder" = . ]; then private='@SOURCES@'; fi

# The visitor's address is the last address that is not this server's: the visitor may have sent the addresses before it.
# PHP takes the header Proxy for the variable HTTP_PROXY. Visitors may have uploaded scripts.
cat >"$work/Caddyfile" <<END
{
  admin off
  persist_config off
  auto_https off
  storage file_system $work
  log {
    level ERROR
    format console
  }
  servers {
    trusted_proxies static 127.0.0.0/8 ::1/128
    trusted_proxies_strict
  }
}
http://:$PORT {
  bind 127.0.0.1
  request_header -Proxy
  @hidden {
    path */.* $private
    not path /.well-known/*
  }
  respond @hidden 404
  @uploaded path_regexp (?i)^/(storage|uploads|wp-content/uploads)/.*[.]php
  respond @uploaded 404
  @built {
    path /build/assets/*
    file
  }
  header @built Cache-Control "public, max-age=31536000, immutable"
  @secure header X-Forwarded-Proto https
  php_fastcgi @secure unix/$work/fpm.sock {
    env HTTPS on
    env SERVER_PORT 443
    env REMOTE_ADDR {client_ip}
    header_up X-Forwarded-For {client_ip}
  }
  php_fastcgi unix/$work/fpm.sock {
    env REMOTE_ADDR {client_ip}
    header_up X-Forwarded-For {client_ip}
  }
  file_server
}
END

# Why it ends: it was asked to, or one of the two ended by itself.
ended='' server=''
end() {
  ended=\${ended:-$1}
  # Caddy finishes the requests that it has.
  if [ -n "$server" ]; then kill -s TERM "$server" 2>/dev/null; fi
}
trap 'end asked' TERM INT QUIT HUP
trap 'end PHP-FPM' USR1

as_root=''
if [ "$(id -u)" = 0 ]; then as_root=--allow-to-run-as-root; fi
# shellcheck disable=SC2086
( "$php_fpm" $as_root --nodaemonize --force-stderr --fpm-config "$work/fpm.conf"; kill -s USR1 $$ ) &
watch=$!
until [ -n "$ended" ] || [ -S "$work/fpm.sock" ]; do sleep 0.02; done
if [ -z "$ended" ]; then
  HOME=$work XDG_DATA_HOME=$work XDG_CONFIG_HOME=$work "$caddy" run --config "$work/Caddyfile" --adapter caddyfile &
  server=$!
  # It may have been asked to end a moment before.
  if [ -n "$ended" ]; then end "$ended"; fi
  while kill -s 0 "$server" 2>/dev/null; do wait "$server"; done
fi
ended=\${ended:-Caddy}
# Without requests now. A script may still run whose client has gone.
# Repeated, because it may not have noted its number yet.
until fpm=$(cat "$work/fpm.pid" 2>/dev/null) && kill -s QUIT "$fpm" 2>/dev/null; do
  if ! kill -s 0 "$watch" 2>/dev/null; then break; fi
  sleep 0.02
done
while kill -s 0 "$watch" 2>/dev/null; do wait "$watch"; done
rm -rf "$work"
[ "$ended" = asked ] || fail "$ended has ended"
`;

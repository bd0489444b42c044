# Downloads the URL $1 to the file $2, in at most $3 seconds.
download() {
  if command -v curl >/dev/null; then
    curl -fsSL --connect-timeout 15 --max-time "${3:-300}" -o "$2" "$1"
  elif command -v wget >/dev/null; then
    wget -q -T 15 -O "$2" "$1"
  else
    fail 5 "curl or wget is missing."
  fi || fail 7 "$1 cannot be downloaded. If the control plane has just been updated, run the same line again."
}

sha256_of() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1" | cut -d ' ' -f 1
    return
  fi
  "$node" -e 'process.stdout.write(crypto.createHash("sha256").update(fs.readFileSync(process.argv[1])).digest("hex"))' "$1"
}

# Removes the downloads of installations that were killed.
remove_drafts() {
  for draft in "$lib"/.new.*; do
    pid=${draft#"$lib/.new."}
    if ! kill -0 "${pid%%.*}" 2>/dev/null; then rm -rf "$draft"; fi
  done
}

fetch_agent() {
  mkdir -p "$lib" "$prefix/bin" 2>/dev/null || fail 13 "$prefix is not writable."
  remove_drafts
  work=$(mktemp -d "$lib/.new.$$.XXXXXX" 2>/dev/null) || fail 13 "$lib is not writable."
  # The service's user runs the file from here to enrol.
  chmod 755 "$lib" "$work"
  download "$origin/agent/$agent_file" "$work/gantry-agent.mjs"
  download "$origin/install.sh" "$work/install.sh"
  [ "$(sha256_of "$work/gantry-agent.mjs")" = "$agent_sha256" ] ||
    fail 8 "the downloaded agent is damaged: its SHA-256 differs. Nothing was installed. Run the same line again."
  chmod 644 "$work/gantry-agent.mjs" "$work/install.sh"
  output=$("$node" "$work/gantry-agent.mjs" --version 2>&1) ||
    fail 12 "the agent $agent_version does not start. Nothing was changed. Its output: $output"
}

# Downloads mise, unless the server has it, or has it from an earlier run of this script in this version.
fetch_mise() {
  if [ $wants_mise = no ]; then return; fi
  if [ "$made_mise" = $mise_version ] && [ -x "$mise" ]; then return; fi
  found=$(command -v mise || true)
  if [ -n "$found" ] && [ -z "$made_mise" ]; then
    log "mise is installed already: $found"
    return
  fi
  [ "$(uname -m)" = x86_64 ] || fail 4 "--with-mise is for x86_64; this is $(uname -m). Install mise as https://mise.jdx.dev says. Nothing was installed."
  log "downloading mise $mise_version (140 MiB)"
  download "$mise_url" "$work/mise" 1800
  [ "$(sha256_of "$work/mise")" = $mise_sha256 ] ||
    fail 8 "the downloaded mise is damaged: its SHA-256 differs. Nothing was installed. Run the same line again."
  chmod 755 "$work/mise"
  output=$("$work/mise" --version 2>&1) || fail 1 "mise does not start on this system. Nothing was installed. Its output: $output"
}

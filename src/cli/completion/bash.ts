import { type Completions, wordsToScan } from "#cli/completion/completions.ts";

/** A completion script for bash 3.2 or newer. It does not need the bash-completion package. */
export function bashScript(completions: readonly Completions[]): string {
  const { paths, valued, taking } = wordsToScan(completions);
  const choices = new Map(valued.map(({ word, values }) => [word, values ?? []]));
  return `# gantry completion for bash
_gantry() {
  local word previous path="" next="" at candidates=""
  word="\${COMP_WORDS[COMP_CWORD]}"
  previous="\${COMP_WORDS[COMP_CWORD-1]}"
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      ${taking.join("|")}) at=$((at + 1)); continue ;;
      -*) continue ;;
    esac
    next="\${path:+$path }\${COMP_WORDS[at]}"
    case "$next" in
      ${paths.map((path) => `"${path}"`).join("|")}) path="$next" ;;
      *) break ;;
    esac
  done
  case "$previous" in
${[...choices].map(([word, values]) => `    ${[word, ...shortsOf(word, valued)].join("|")}) COMPREPLY=($(compgen -W "${values.join(" ")}" -- "$word")); __gantry_colons "$word"; return ;;`).join("\n")}
  esac
  case "$path" in
${completions.map(({ path, words, options }) => `    "${path}") candidates="${[...words, ...options].map((each) => each.word).join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$candidates" -- "$word"))
}
# bash ends a word at a colon, so the part before the colon must not be completed again.
__gantry_colons() {
  if [[ "$1" == *:* && "$COMP_WORDBREAKS" == *:* ]]; then
    local before="\${1%"\${1##*:}"}" at
    for at in "\${!COMPREPLY[@]}"; do COMPREPLY[at]="\${COMPREPLY[at]#"$before"}"; done
  fi
}
complete -o default -F _gantry gantry
`;
}

function shortsOf(word: string, options: Completions["options"]): string[] {
  const shorts = options.filter((each) => each.word === word && each.short !== null);
  return [...new Set(shorts.map(({ short }) => short ?? ""))];
}

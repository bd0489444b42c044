import { shellQuote } from "#node/shell-quote.ts";
import { type Completions, type Suggestion, wordsToScan } from "#cli/completion/completions.ts";

/** A completion script for zsh with compinit. It works as a file named _gantry in $fpath, and when sourced. */
export function zshScript(completions: readonly Completions[]): string {
  const { paths, valued, taking } = wordsToScan(completions);
  const choices = new Map(
    valued.map(({ word, short, values }) => [`${word}|${short ?? word}`, values ?? []]),
  );
  return `#compdef gantry
# gantry completion for zsh
_gantry() {
  local path_="" next="" at
  local -a candidates
  for ((at = 2; at < CURRENT; at++)); do
    case "\${words[at]}" in
      ${taking.join("|")}) at=$((at + 1)); continue ;;
      -*) continue ;;
    esac
    next="\${path_:+$path_ }\${words[at]}"
    case "$next" in
      ${paths.map(shellQuote).join("|")}) path_="$next" ;;
      *) break ;;
    esac
  done
  case "\${words[CURRENT-1]}" in
${[...choices].map(([names, values]) => `    ${names}) ${values.length === 0 ? "_files" : `compadd -- ${values.join(" ")}`}; return ;;`).join("\n")}
  esac
  case "$path_" in
${completions.map(({ path, words, options }) => `    ${shellQuote(path)}) candidates=(${[...words, ...options].map(described).join(" ")}) ;;`).join("\n")}
  esac
  _describe gantry candidates
}
if [ "$funcstack[1]" = "_gantry" ]; then _gantry "$@"; else compdef _gantry gantry; fi
`;
}

/** `word:help`; a colon in the word is escaped with a backslash. */
function described({ word, help }: Suggestion): string {
  return shellQuote(`${word.replaceAll(":", "\\:")}:${help}`);
}

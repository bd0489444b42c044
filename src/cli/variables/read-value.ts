import { succeed } from "#contract/lib/result.ts";
import { promptForSecret } from "#cli/ask.ts";
import { type Result, stop } from "#cli/outcome.ts";
import { readText, readTextFromStdin } from "#cli/variables/read-text.ts";
import type { Session } from "#cli/session/session.ts";

/** Where the value of a variable comes from. `argument`: only for plain variables. */
export type ValueSource =
  | { readonly from: "argument"; readonly value: string }
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "stdin" }
  | { readonly from: "prompt" };

/** Reads the value of a variable. One line break at the end of a file or of stdin is not part of it. */
export async function readValue(
  session: Session,
  name: string,
  source: ValueSource,
): Promise<Result<string>> {
  switch (source.from) {
    case "argument":
      return succeed(source.value);
    case "file":
      return withoutLastBreak(await readText(session, source.path));
    case "stdin":
      return session.stdin.isTTY
        ? await promptForValue(session, name)
        : withoutLastBreak(await readTextFromStdin(session));
    case "prompt":
      return await promptForValue(session, name);
  }
}

async function promptForValue(session: Session, name: string): Promise<Result<string>> {
  if (!session.stdin.isTTY)
    return stop(
      "usage",
      `No terminal to ask for ${name}. Pass --from-stdin ${name} or --from-file ${name}=PATH.`,
    );
  const typed = await promptForSecret(session, `Value of ${name}: `);
  if (typed.ok && /\p{Cc}/u.test(typed.value))
    return stop("usage", `The value of ${name} has a control character, for example from an arrow key.`);
  return typed;
}

function withoutLastBreak(text: Result<string>): Result<string> {
  return text.ok ? succeed(text.value.replace(/\r?\n$/, "")) : text;
}

import { type ResultOf, succeed } from "#contract/lib/result.ts";
import { targetProblem, type TargetRule } from "#domain/outlet/target-rule.ts";
import { canSendMail, type MailSettings } from "#worker/mail/send-mail.ts";

/** Which targets this installation may send to. @param origin the address of the installation */
export function targetRule(
  env: MailSettings & { readonly PUBLIC_URL: string; readonly ALLOW_PRIVATE_TARGETS: string },
  origin: string,
): TargetRule {
  const own = [origin, env.PUBLIC_URL].filter((url) => URL.canParse(url)).map((url) => new URL(url));
  return { own, allowPrivate: env.ALLOW_PRIVATE_TARGETS === "1", sendsMail: canSendMail(env) };
}

/** Why nothing may be sent to this address, as a sentence; null: it may. */
export function urlProblem(url: string, rule: TargetRule): string | null {
  const read = readTarget(url, rule);
  return read.ok ? null : read.problem;
}

/** Reads an address that something is about to be sent to. The rule and `fetch` get the same parsed address. */
export function readTarget(url: string, rule: TargetRule): ResultOf<URL, { readonly problem: string }> {
  if (!URL.canParse(url)) return { ok: false, problem: "The address is not a valid URL." };
  const target = new URL(url);
  const problem = targetProblem(target, rule);
  return problem === null ? succeed(target) : { ok: false, problem };
}

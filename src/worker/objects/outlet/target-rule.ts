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
  return URL.canParse(url) ? targetProblem(new URL(url), rule) : "The address is not a valid URL.";
}

import { messageOf } from "#contract/lib/message-of.ts";
import { Mail } from "#domain/notify/email.ts";
import { ATTEMPT_TIMEOUT_MS } from "#domain/outlet/after-attempt.ts";

/** What the binding of Cloudflare Email Service does. An installation may not have it, so Env does not name it. */
type MailBinding = { send(mail: Mail & { readonly from: string }): Promise<unknown> };

/** The variable with the sender. */
export type MailSettings = { readonly EMAIL_FROM: string };

/** Whether this installation can send mail: it has the binding, and an address to send from. */
export function canSendMail(env: MailSettings): boolean {
  return mailBinding(env) !== null && env.EMAIL_FROM !== "";
}

/**
 * Sends a mail. Never throws. After 20 seconds the mail counts as not sent, although the service may still send it.
 * @param body the mail as JSON @returns why the mail was not sent, as a sentence; null: the service has accepted it
 */
export async function sendMail(env: MailSettings, body: string): Promise<string | null> {
  try {
    const mail = Mail.parse(JSON.parse(body));
    const sending = mailBinding(env)?.send({ ...mail, from: env.EMAIL_FROM });
    await Promise.race([sending, timeout()]);
    return null;
  } catch (error) {
    return `Cloudflare Email Service did not accept the mail: ${codeOf(error)}.`;
  }
}

function timeout(): Promise<never> {
  const signal = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS);
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(new Error("it did not answer in time")));
  });
}

function mailBinding(env: object): MailBinding | null {
  const binding: unknown = Reflect.get(env, "EMAIL");
  return isMailBinding(binding) ? binding : null;
}

function isMailBinding(binding: unknown): binding is MailBinding {
  return (
    typeof binding === "object" && binding !== null && typeof Reflect.get(binding, "send") === "function"
  );
}

/** Such as `E_SENDER_NOT_VERIFIED`. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : null;
  return typeof code === "string" ? code : messageOf(error);
}

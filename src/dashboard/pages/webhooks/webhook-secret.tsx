import { SecretDialog } from "#dashboard/shared/secret-dialog.tsx";

type Props = { readonly name: string; readonly secret: string; readonly onClose: () => void };

/** The secret of a webhook, which is shown once, and how a receiver uses it. */
export function WebhookSecret({ name, secret, onClose }: Props) {
  return (
    <SecretDialog title={name} secret={secret} onClose={onClose}>
      <p>
        The receiver verifies each request with it, so that nobody else can send one. With the package{" "}
        <code>standardwebhooks</code>, which exists for most languages:
      </p>
      <pre tabIndex={0} aria-label="How to verify">
        {'import { Webhook } from "standardwebhooks";\n\n'}
        {"const event = new Webhook(secret).verify(body, headers);"}
      </pre>
      <p class="quiet">
        <code>body</code> is the text of the request as it arrived. The secret before a rotation keeps signing
        for a day.
      </p>
    </SecretDialog>
  );
}

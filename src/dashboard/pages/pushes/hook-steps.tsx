import type { Hook } from "#contract/endpoints/hooks/schemas.ts";
import { Copyable } from "#dashboard/shared/copy.tsx";

/** The address of a hook, and the steps that add it to its repository. */
export function HookSteps({ hook: { url, steps, settings_url: settings } }: { readonly hook: Hook }) {
  return (
    <div class="hook">
      <p>The address of the hook:</p>
      <Copyable text={url} label="Address of the hook" />
      <ol class="steps-of">
        {steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      {settings === null ? null : (
        <p>
          <a href={settings}>Open this page of the repository</a>
        </p>
      )}
    </div>
  );
}

import { useState } from "preact/hooks";

import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import type { Webhook, WebhookWithSecret } from "#contract/endpoints/webhooks/schemas.ts";
import { textOf } from "#contract/growing.ts";
import { ALL, useAllowed, useProjects } from "#dashboard/data/resources.ts";
import { Deliveries } from "#dashboard/pages/webhooks/deliveries.tsx";
import { WebhookActions } from "#dashboard/pages/webhooks/webhook-actions.tsx";
import { Button } from "#dashboard/shared/button.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { projectsText } from "#dashboard/text/permissions.ts";
import {
  kindLabels,
  webhookStateClasses,
  webhookStateLabels,
} from "#dashboard/pages/webhooks/webhook-texts.ts";

type Props = {
  readonly webhook: Webhook;
  readonly onRotated: (webhook: WebhookWithSecret) => void;
  readonly reload: () => Promise<void>;
};

/** A webhook in one row: where it sends what, its state, a menu of actions, and its deliveries on demand. */
export function WebhookRow({ webhook, onRotated, reload }: Props) {
  const { id, name, kind, url, events, project_ids: projectIds, state } = webhook;
  const { value: projects } = useProjects(ALL);
  const mayChange = useAllowed(webhookEndpoints.updateWebhook, projectIds);
  const [isOpen, setIsOpen] = useState(false);
  return (
    <article class="webhook" aria-label={name}>
      <div class="line">
        <span class={`status ${textOf(webhookStateClasses, state)}`}>
          {textOf(webhookStateLabels, state)}
        </span>
        <span class="title">
          <h2>{name}</h2>
          <span class="quiet">
            {textOf(kindLabels, kind)} <code>{url}</code>
          </span>
          <span class="quiet events">
            {events.includes("*") ? "all events" : <code>{events.join(", ")}</code>}
            {projectIds === null ? null : <> of {projectsText(projectIds, projects?.projects ?? [])}</>}
          </span>
        </span>
        <Button
          variant="subtle"
          label={`${isOpen ? "Hide" : "Show"} deliveries of ${name}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? "Hide deliveries" : "Deliveries"}
        </Button>
        {mayChange ? <WebhookActions webhook={webhook} onRotated={onRotated} reload={reload} /> : null}
      </div>
      <Failing webhook={webhook} />
      {isOpen ? <Deliveries id={id} mayResend={mayChange && state !== "disabled"} /> : null}
    </article>
  );
}

/** Since when a webhook fails, or why it is disabled. */
function Failing({ webhook }: { readonly webhook: Webhook }) {
  const { state, failing_since: since, disabled_reason: reason } = webhook;
  switch (state) {
    case "active":
      return null;
    case "failing":
      return (
        <p class="problem" role="status">
          <strong>Every attempt fails.</strong> The first failure was{" "}
          {since === null ? "recently" : <Ago time={since} />}. The deliveries say why. A webhook that only
          fails for five days is disabled.
        </p>
      );
    case "disabled":
      return (
        <p class="problem" role="status">
          <strong>It gets no events.</strong> {reason ?? "Somebody disabled it."} Its deliveries are held:
          enable it and send them again.
        </p>
      );
    default:
      return null;
  }
}

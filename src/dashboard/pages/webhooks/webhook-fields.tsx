import { webhookEndpoints } from "#contract/endpoints/webhooks/endpoints.ts";
import { EventPattern } from "#contract/endpoints/events/patterns.ts";
import { useReach } from "#dashboard/data/resources.ts";
import { TargetFields, type WebhookFieldsProps } from "#dashboard/pages/webhooks/target-fields.tsx";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Choice, Field } from "#dashboard/shared/field.tsx";
import { ProjectLimit } from "#dashboard/shared/project-limit.tsx";

/** The fields of a webhook besides its kind: its target, its name, its events and projects. */
export function WebhookFields(props: WebhookFieldsProps) {
  const { draft, change, errors } = props;
  const within = useReach(webhookEndpoints.createWebhook);
  return (
    <>
      <TargetFields {...props} />
      <Field
        label="Name"
        value={draft.name}
        onInput={(name) => change({ name })}
        placeholder="the host and path of the target"
        error={errors["name"] ?? null}
      />
      {draft.kind === "commit_status" ? null : <Events {...props} />}
      <ProjectLimit
        label="Of which projects"
        chosen={draft.projectIds}
        onChange={(projectIds) => change({ projectIds })}
        error={errors["project_ids"] ?? null}
        within={within}
      />
    </>
  );
}

const patterns = EventPattern.options
  .filter((pattern) => pattern !== "*")
  .map((value) => ({ value, label: value }));

function Events({ draft: { kind, events, tellsAll }, change, errors }: WebhookFieldsProps) {
  const isForPeople = kind !== "standard";
  return (
    <>
      <Choice
        label="Events"
        value={events === null ? "usual" : "some"}
        onChange={(chosen) => change({ events: chosen === "some" ? [] : null })}
      >
        <option value="usual">
          {isForPeople ? "Failures, recoveries and offline servers" : "All events"}
        </option>
        <option value="some">Only selected types</option>
      </Choice>
      {events === null ? null : (
        <Checks
          legend="Types"
          options={patterns}
          chosen={events}
          onChange={(chosen) => change({ events: chosen })}
          error={errors["events"] === undefined ? null : "Choose at least one."}
          isLong
        />
      )}
      {isForPeople && events !== null ? (
        <label class="check">
          <input
            type="checkbox"
            checked={tellsAll}
            onChange={(event) => change({ tellsAll: event.currentTarget.checked })}
          />
          Every live deployment, not only the first after a failure
        </label>
      ) : null}
    </>
  );
}

import { projectChangeEndpoints } from "#contract/endpoints/projects/change-endpoints.ts";
import { EntryType } from "#contract/endpoints/projects/entry.ts";
import { ServerId } from "#contract/ids.ts";
import { ALL, useAllowed, useServers } from "#dashboard/data/resources.ts";
import type { SettingsPart } from "#dashboard/pages/settings/settings-part.ts";
import { Checks } from "#dashboard/shared/checks.tsx";
import { Choice } from "#dashboard/shared/field.tsx";

const labels: Record<EntryType, string> = {
  each: "At each server",
  balancer: "At a balancer of Gantry",
  own: "At a load balancer of your own",
};

const hints: Record<EntryType, string> = {
  each: "Each server answers for the host names and has a certificate.",
  balancer:
    "The balancer has the certificate and sends requests to the servers. A server that does not answer gets none.",
  own: "It has the certificate. The servers obtain none.",
};

/** Where visitors arrive before a request reaches a server of the project. */
export function EntryFieldset({ draft, change, errors }: SettingsPart) {
  const { value } = useServers(ALL);
  // A limited token must not choose who reads the requests of visitors.
  const mayChoose = useAllowed(projectChangeEndpoints.updateProject, null);
  const { entry_type: type, entry_balancers: balancers, entry_sticky: isSticky } = draft;
  const error = Object.entries(errors).find(([path]) => path.startsWith("entry."))?.[1] ?? null;
  return (
    <fieldset disabled={!mayChoose}>
      <legend>Traffic</legend>
      <Choice
        label="Where visitors arrive"
        value={type}
        onChange={(wanted) => change({ entry_type: EntryType.parse(wanted) })}
        hint={hints[type]}
      >
        {EntryType.options.map((one) => (
          <option key={one} value={one}>
            {labels[one]}
          </option>
        ))}
      </Choice>
      {type === "balancer" ? (
        <>
          <Checks
            legend="Balancers: one or two servers"
            options={(value?.servers ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            chosen={balancers}
            onChange={(chosen) => change({ entry_balancers: chosen.map((id) => ServerId.parse(id)) })}
            error={error}
            isLong
          />
          <label class="check">
            <input type="checkbox" checked={isSticky} onChange={() => change({ entry_sticky: !isSticky })} />
            Send a visitor to the same server again
          </label>
        </>
      ) : null}
    </fieldset>
  );
}

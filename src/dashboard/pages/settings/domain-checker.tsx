import { useState } from "preact/hooks";

import { type DomainChecks, type DomainState, isRight } from "#contract/endpoints/domains/schemas.ts";
import type { ProjectId } from "#contract/ids.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { domainsApi } from "#dashboard/pages/settings/domains-api.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { ProblemBox } from "#dashboard/shared/problem-box.tsx";

const labels: Record<DomainState, string> = {
  here: "Leads to the server",
  partly: "Leads to others too",
  elsewhere: "Leads elsewhere",
  no_address: "No address",
  private: "Private name",
  unknown: "Unknown",
};

/** A button that asks the server where the host names of the site lead, and the answer. */
export function DomainChecker({ id }: { readonly id: ProjectId }) {
  const [checks, setChecks] = useState<DomainChecks | null>(null);
  const checking = useAction(() => domainsApi.checkDomains({ params: { project_id: id } }));
  const check = async () => {
    setChecks(null);
    const checked = await checking.run();
    if (checked !== null) setChecks(checked.value);
  };
  return (
    <>
      <Button onClick={check} isBusy={checking.isRunning}>
        Check the records
      </Button>
      <ProblemBox problem={checking.problem} doing="The check" />
      <div role="status">
        {checks === null ? null : (
          <div class="records">
            {checks.domains.map((one) => (
              <div class="record" key={one.domain}>
                <span class={`status ${isRight(one) ? "healthy" : "failed"}`}>{labels[one.state]}</span>
                <p>{one.message}</p>
              </div>
            ))}
          </div>
        )}
      </div>
    </>
  );
}

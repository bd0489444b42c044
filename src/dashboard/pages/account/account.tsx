import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { counted } from "#contract/lib/counted.ts";
import { ALL, useAccount, useMay, useProjects } from "#dashboard/data/resources.ts";
import { Retention } from "#dashboard/pages/account/retention.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

/** The account, the current token and the account's settings. */
export function AccountPage() {
  const account = useAccount(ALL);
  const mayChange = useMay("updateAccount");
  return (
    <Page title="Account">
      <Show of={account} what="the account">
        {(value) => (
          <>
            <Facts account={value} />
            {mayChange ? (
              <Retention account={value} onSaved={account.reload} />
            ) : (
              <p>
                Logs are kept for {counted(value.log_retention_days, "day")}, deployments{" "}
                {value.deployment_retention_days === null
                  ? "forever"
                  : `for ${counted(value.deployment_retention_days, "day")}`}
                .
              </p>
            )}
          </>
        )}
      </Show>
    </Page>
  );
}

function Facts({ account: { id, name, token } }: { readonly account: Account }) {
  const { value: projects } = useProjects(ALL);
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>{name}</dd>
      <dt>Signed in with</dt>
      <dd>
        {token.name}
        <span class="quiet">
          , expires <Ago time={token.expires_at} />
        </span>
      </dd>
      <dt>ID</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>Permissions</dt>
      <dd>
        {scopesText(token.scopes)}
        {token.project_ids === null
          ? ""
          : `, in ${projectsText(token.project_ids, projects?.projects ?? [])}`}
      </dd>
    </dl>
  );
}

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { counted } from "#contract/lib/counted.ts";
import { ALL, useAccount, useMay, useProjects } from "#dashboard/data/resources.ts";
import { useMayCreateOwner } from "#dashboard/data/use-may-create-owner.ts";
import { OwnerCard } from "#dashboard/pages/owner/owner-card.tsx";
import { Retention } from "#dashboard/pages/account/retention.tsx";
import { Page } from "#dashboard/shared/page.tsx";
import { Show } from "#dashboard/shared/show.tsx";
import { Ago } from "#dashboard/shared/times.tsx";
import { pathTo } from "#dashboard/router/route.ts";
import { projectsText, scopesText } from "#dashboard/text/permissions.ts";

/** The account, the current token and the account's settings. */
export function AccountPage() {
  const account = useAccount(ALL);
  const mayChange = useMay("updateAccount");
  const mayCreateOwner = useMayCreateOwner(account.value);
  return (
    <Page title="Account">
      <Show of={account} what="the account">
        {(value) => (
          <>
            {mayCreateOwner ? <OwnerCard account={value} /> : null}
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

function Facts({ account: { id, name, member, token, permissions } }: { readonly account: Account }) {
  const { value: projects } = useProjects(ALL);
  return (
    <dl class="facts">
      <dt>Name</dt>
      <dd>{name}</dd>
      <dt>Signed in {member === null ? "with" : "as"}</dt>
      <dd>
        {member === null ? token.name : <a href={pathTo({ page: "profile" })}>{member.name}</a>}
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
        {permissions.map(({ scopes, project_ids: ids }, at) => (
          <div key={at}>
            {scopesText(scopes)}
            {ids === null ? "" : `, in ${projectsText(ids, projects?.projects ?? [])}`}
          </div>
        ))}
      </dd>
    </dl>
  );
}

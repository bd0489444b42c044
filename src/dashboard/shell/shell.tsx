import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { scopesAllowAll } from "#contract/scopes.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { signOut } from "#dashboard/data/session.ts";
import { useAction } from "#dashboard/data/use-action.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";
import { SessionEnd } from "#dashboard/shell/session-end.tsx";
import { useListening } from "#dashboard/shell/use-listening.ts";
import { goTo } from "#dashboard/router/navigation.ts";
import { pathTo, type Route, sectionOf, sections } from "#dashboard/router/route.ts";

type Props = { readonly route: Route; readonly children: ComponentChildren };

/** The frame of every page: the navigation, the account and sign-out. */
export function Shell({ route, children }: Props) {
  const { value: account, reload } = useAccount(ALL);
  const navigation = useRef<HTMLElement>(null);
  const section = sectionOf(route);
  // On a narrow screen, the navigation scrolls.
  useEffect(() => {
    const nav = navigation.current;
    const current = nav?.querySelector<HTMLElement>("[aria-current]");
    if (nav && current) nav.scrollLeft = current.offsetLeft - nav.offsetLeft;
  }, [section]);
  useListening(account);
  const isOnLine = useBrowserValue(() => navigator.onLine, "online", "offline");
  const leaving = useAction(async () => {
    const result = await signOut();
    goTo({ page: "sign_in" }, { replace: true });
    return result ?? { ok: true, value: null, status: 204, headers: new Headers() };
  });
  return (
    <>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <header class="frame">
        <a class="brand" href={pathTo({ page: "overview" })}>
          <img src="/app/assets/icon.svg" alt="" width="24" height="24" />
          Gantry
        </a>
        <nav ref={navigation} aria-label="Main">
          {[...sections()].map(([name, path]) => (
            <a key={name} href={path} aria-current={section === name ? "page" : undefined}>
              {name}
            </a>
          ))}
        </nav>
        <span class="account">
          {account === null ? null : (
            <a
              href={pathTo({ page: "account" })}
              aria-current={route.page === "account" ? "page" : undefined}
            >
              {account.name}
            </a>
          )}
          {account === null || isUnlimited(account) ? null : (
            <span class="tag" title={`The token ${account.token.name} has limited permissions`}>
              limited token
            </span>
          )}
        </span>
        <Button onClick={() => leaving.run()} isBusy={leaving.isRunning}>
          Sign out
        </Button>
      </header>
      {isOnLine ? null : (
        <p class="banner" role="status">
          You are offline. The data on this page may be out of date. It updates when you are online again.
        </p>
      )}
      {account === null || account.database_used_percent === null ? null : (
        <p class="banner" role="status">
          The database is {account.database_used_percent}% full. When it is full, nothing can be deployed.{" "}
          <a href={pathTo({ page: "account" })}>Set how long deployments are kept</a>.
        </p>
      )}
      {account === null ? null : <SessionEnd expiresAt={account.token.expires_at} onEnd={reload} />}
      <div id="content" tabIndex={-1}>
        {children}
      </div>
    </>
  );
}

function isUnlimited({ token: { scopes, project_ids: projectIds } }: Account): boolean {
  return projectIds === null && scopesAllowAll(scopes);
}

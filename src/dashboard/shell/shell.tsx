import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";

import type { Account } from "#contract/endpoints/accounts/schemas.ts";
import { ALL, useAccount } from "#dashboard/data/resources.ts";
import { signOut } from "#dashboard/data/session.ts";
import { isRecovered, useIsMemberSession } from "#dashboard/data/use-is-member-session.ts";
import { Button } from "#dashboard/shared/button.tsx";
import { allowAllButMembers } from "#dashboard/text/permissions.ts";
import { useBrowserValue } from "#dashboard/shared/use-browser-value.ts";
import { AppearanceChoice } from "#dashboard/shell/appearance-choice.tsx";
import { ConfirmationDialog } from "#dashboard/shell/confirmation-dialog.tsx";
import { Navigation } from "#dashboard/shell/navigation.tsx";
import { SearchButton, SearchDialog, useSearchKey } from "#dashboard/shell/search.tsx";
import { SessionEnd } from "#dashboard/shell/session-end.tsx";
import { useListening } from "#dashboard/shell/use-listening.ts";
import { useWindowFocus } from "#dashboard/shell/use-window-focus.ts";
import { goTo } from "#dashboard/router/navigation.ts";
import { pathTo, type Route } from "#dashboard/router/route.ts";

type Props = { readonly route: Route; readonly children: ComponentChildren };

/** The frame of every page: the navigation, the account and sign-out. */
export function Shell({ route, children }: Props) {
  const { value: account, reload } = useAccount(ALL);
  useListening(account);
  useWindowFocus(reload);
  const [isSearching, setIsSearching] = useState(false);
  const openSearch = () => setIsSearching(true);
  useSearchKey(openSearch);
  const isOnLine = useBrowserValue(() => navigator.onLine, "online", "offline");
  return (
    <div class="shell">
      <Frame route={route} account={account} onSearch={openSearch} />
      <div>
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
        {account === null ? null : <SessionEnd account={account} onEnd={reload} />}
        <div id="content" tabIndex={-1}>
          {children}
        </div>
      </div>
      {isSearching ? <SearchDialog onClose={() => setIsSearching(false)} /> : null}
      <ConfirmationDialog />
    </div>
  );
}

type FrameProps = {
  readonly route: Route;
  readonly account: Account | null;
  readonly onSearch: () => void;
};

function Frame({ route, account, onSearch }: FrameProps) {
  // Only on a narrow screen: elsewhere, the navigation is always shown.
  const [isOpen, setIsOpen] = useState(false);
  const toggle = useRef<HTMLButtonElement>(null);
  const leave = () => {
    signOut();
    goTo({ page: "sign_in" }, { replace: true });
  };
  const close = () => setIsOpen(false);
  // The roles of a person are in their profile.
  const isOfMember = useIsMemberSession();
  // Such a session can only add a passkey, on the profile page.
  const hasOnlyProfile = account !== null && isRecovered(account);
  return (
    <header
      class="frame"
      onKeyDown={({ key }) => {
        if (key !== "Escape" || !isOpen) return;
        close();
        toggle.current?.focus();
      }}
    >
      <a class="skip" href="#content">
        Skip to content
      </a>
      <a class="brand" href={pathTo({ page: hasOnlyProfile ? "profile" : "overview" })} onClick={close}>
        <img src="/app/assets/icon.svg" alt="" width="22" height="22" />
        Gantry
      </a>
      {hasOnlyProfile ? null : (
        <SearchButton
          onClick={() => {
            close();
            onSearch();
          }}
        />
      )}
      <button
        ref={toggle}
        type="button"
        class="toggle"
        aria-expanded={isOpen}
        aria-controls="navigation"
        onClick={() => setIsOpen(!isOpen)}
      >
        Menu
      </button>
      <div id="navigation" class={isOpen ? "navigation open" : "navigation"}>
        {hasOnlyProfile ? null : <Navigation route={route} onLeave={close} />}
        <div class="account">
          {account === null || isUnlimited(account) || isOfMember ? null : (
            <span class="tag" title={`The token ${account.token.name} has limited permissions`}>
              limited token
            </span>
          )}
          {account === null || account.member === null ? null : (
            <a
              href={pathTo({ page: "profile" })}
              aria-current={route.page === "profile" ? "page" : undefined}
              onClick={close}
            >
              {account.member.name}
            </a>
          )}
          {hasOnlyProfile ? null : (
            <a
              href={pathTo({ page: "account" })}
              aria-current={route.page === "account" ? "page" : undefined}
              onClick={close}
            >
              {account?.name ?? "Account"}
            </a>
          )}
          <a href="/docs">Documentation</a>
          <AppearanceChoice />
          <Button variant="subtle" onClick={leave}>
            Sign out
          </Button>
        </div>
      </div>
    </header>
  );
}

function isUnlimited({ permissions }: Account): boolean {
  return permissions.some(
    ({ scopes, project_ids: projectIds }) => projectIds === null && allowAllButMembers(scopes),
  );
}

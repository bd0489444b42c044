import type { VNode } from "preact";

import { AccountPage } from "#dashboard/pages/account/account.tsx";
import { Audit } from "#dashboard/pages/audit/audit.tsx";
import { Charts, ProjectCharts } from "#dashboard/pages/charts/charts.tsx";
import { CommandsPage } from "#dashboard/pages/commands/commands.tsx";
import { ConnectPage } from "#dashboard/pages/connect/connect.tsx";
import { DeploymentPage } from "#dashboard/pages/deployment/deployment.tsx";
import { Events } from "#dashboard/pages/events/events.tsx";
import { Freezes } from "#dashboard/pages/freezes/freezes.tsx";
import { Join } from "#dashboard/pages/join/join.tsx";
import { Members } from "#dashboard/pages/members/members.tsx";
import { NewProject } from "#dashboard/pages/new-project.tsx";
import { NotFound } from "#dashboard/pages/not-found.tsx";
import { ProfilePage } from "#dashboard/pages/profile/profile.tsx";
import { ProcessesPage } from "#dashboard/pages/project/processes-page.tsx";
import { ProjectPage } from "#dashboard/pages/project/project.tsx";
import { PushesPage } from "#dashboard/pages/pushes/pushes.tsx";
import { RepositoryPage } from "#dashboard/pages/repository/repository.tsx";
import { Servers } from "#dashboard/pages/servers/servers.tsx";
import { Settings } from "#dashboard/pages/settings/settings.tsx";
import { SignInCallback } from "#dashboard/pages/sign-in-callback/sign-in-callback.tsx";
import { SignInSettings } from "#dashboard/pages/sign-in-settings/sign-in-settings.tsx";
import { Tokens } from "#dashboard/pages/tokens/tokens.tsx";
import { TrustRules } from "#dashboard/pages/trust-rules/trust-rules.tsx";
import { VariablesPage } from "#dashboard/pages/variables/variables.tsx";
import { Webhooks } from "#dashboard/pages/webhooks/webhooks.tsx";
import { pathTo, type Route } from "#dashboard/router/route.ts";

type LazyRoute = Exclude<Route, { readonly page: "overview" | "sign_in" }>;

/** The pages that few visits start with, in one script: small scripts of their own would take many requests each. */
export function LazyPage({ route }: { readonly route: LazyRoute }): VNode {
  switch (route.page) {
    case "new_project":
      return <NewProject />;
    case "project":
      return <ProjectPage key={route.id} id={route.id} />;
    case "settings":
    case "settings_build":
    case "settings_domains":
    case "settings_releases":
    case "settings_processes":
    case "settings_cron":
    case "settings_pushes":
      return <Settings key={pathTo(route)} id={route.id} page={route.page} />;
    case "repository":
      return <RepositoryPage key={route.id} id={route.id} />;
    case "variables":
      return <VariablesPage key={route.id} id={route.id} />;
    case "pushes":
      return <PushesPage key={route.id} id={route.id} />;
    case "commands":
      return <CommandsPage key={route.id} id={route.id} />;
    case "processes":
      return <ProcessesPage key={route.id} id={route.id} />;
    case "project_charts":
      return <ProjectCharts key={route.id} id={route.id} />;
    case "deployment":
      return <DeploymentPage key={route.id} id={route.id} />;
    case "servers":
      return <Servers />;
    case "events":
      return <Events />;
    case "webhooks":
      return <Webhooks />;
    case "freezes":
      return <Freezes />;
    case "audit":
      return <Audit />;
    case "members":
      return <Members />;
    case "tokens":
      return <Tokens />;
    case "trust_rules":
      return <TrustRules />;
    case "account":
      return <AccountPage />;
    case "profile":
      return <ProfilePage />;
    case "sign_in_settings":
      return <SignInSettings />;
    case "sign_in_callback":
      return <SignInCallback />;
    case "join":
      return <Join />;
    case "connect":
      return <ConnectPage />;
    case "charts":
      return <Charts />;
    case "not_found":
      return <NotFound />;
  }
}

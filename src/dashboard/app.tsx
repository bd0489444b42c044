import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

import { clearCaches } from "#dashboard/data/cache.ts";
import { session } from "#dashboard/data/session.ts";
import { useSignal } from "#dashboard/data/signal.ts";
import { lazy } from "#dashboard/shared/lazy.tsx";
import { NotFound } from "#dashboard/pages/not-found.tsx";
import { Overview } from "#dashboard/pages/overview/overview.tsx";
import { SignIn } from "#dashboard/pages/sign-in.tsx";
import { keepFocus } from "#dashboard/router/keep-focus.ts";
import { followLinks, useRoute } from "#dashboard/router/navigation.ts";
import type { Route } from "#dashboard/router/route.ts";
import { Shell } from "#dashboard/shell/shell.tsx";

// The pages that few visits start with are loaded when one of them is opened.
const load = () => import("#dashboard/pages/lazy-pages.ts");
const NewProject = lazy(async () => (await load()).NewProject);
const ProjectPage = lazy(async () => (await load()).ProjectPage);
const Settings = lazy(async () => (await load()).Settings);
const RepositoryPage = lazy(async () => (await load()).RepositoryPage);
const VariablesPage = lazy(async () => (await load()).VariablesPage);
const CommandsPage = lazy(async () => (await load()).CommandsPage);
const DeploymentPage = lazy(async () => (await load()).DeploymentPage);
const Servers = lazy(async () => (await load()).Servers);
const Tokens = lazy(async () => (await load()).Tokens);
const AccountPage = lazy(async () => (await load()).AccountPage);
const Charts = lazy(async () => (await load()).Charts);

/** The dashboard: the sign-in page, or a page with the navigation around it. */
export function App() {
  const route = useRoute();
  const state = useSignal(session);
  useEffect(followLinks, []);
  useEffect(keepFocus, []);
  useEffect(() => {
    if (typeof state === "string") clearCaches();
  }, [state]);
  // A sign-in link is used even if the tab is signed in already.
  if (typeof state === "string" || (route.page === "sign_in" && location.hash !== ""))
    return <SignIn state={state} />;
  return (
    <Shell route={route}>
      <PageAt route={route} />
    </Shell>
  );
}

function PageAt({ route }: { readonly route: Route }): VNode {
  switch (route.page) {
    case "overview":
    case "sign_in":
      return <Overview />;
    case "new_project":
      return <NewProject />;
    case "project":
      return <ProjectPage key={route.id} id={route.id} />;
    case "settings":
      return <Settings key={route.id} id={route.id} />;
    case "repository":
      return <RepositoryPage key={route.id} id={route.id} />;
    case "variables":
      return <VariablesPage key={route.id} id={route.id} />;
    case "commands":
      return <CommandsPage key={route.id} id={route.id} />;
    case "deployment":
      return <DeploymentPage key={route.id} id={route.id} />;
    case "servers":
      return <Servers />;
    case "tokens":
      return <Tokens />;
    case "account":
      return <AccountPage />;
    case "charts":
      return <Charts />;
    case "not_found":
      return <NotFound />;
  }
}

// The pages that few visits start with, in one script: small scripts of their own would take many requests each.
export { AccountPage } from "#dashboard/pages/account/account.tsx";
export { Charts } from "#dashboard/pages/charts/charts.tsx";
export { CommandsPage } from "#dashboard/pages/commands/commands.tsx";
export { DeploymentPage } from "#dashboard/pages/deployment/deployment.tsx";
export { NewProject } from "#dashboard/pages/new-project.tsx";
export { ProjectPage } from "#dashboard/pages/project/project.tsx";
export { Servers } from "#dashboard/pages/servers/servers.tsx";
export { Settings } from "#dashboard/pages/settings/settings.tsx";
export { Tokens } from "#dashboard/pages/tokens/tokens.tsx";
export { RepositoryPage } from "#dashboard/pages/repository/repository.tsx";
export { VariablesPage } from "#dashboard/pages/variables/variables.tsx";

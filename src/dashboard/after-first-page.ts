// The code that is loaded after the first page is shown, in one script: many small scripts would take many requests.

export { listen } from "#dashboard/data/listen.ts";
export { ConfirmDialog } from "#dashboard/pages/confirm/confirm-dialog.tsx";
export { ProviderSignIn } from "#dashboard/shared/provider-buttons.tsx";
export { OwnerCard } from "#dashboard/pages/owner/owner-card.tsx";
export { SearchDialog } from "#dashboard/pages/search/search-dialog.tsx";
export { FirstSteps } from "#dashboard/pages/overview/first-steps.tsx";
export { LatestDeployments } from "#dashboard/pages/overview/latest-deployments.tsx";
export { RecoveryForm } from "#dashboard/pages/recovery-form.tsx";

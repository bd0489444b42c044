import type { KindName } from "#cli/configuration/item.ts";
import type { Kind } from "#cli/configuration/kind.ts";
import { accountKind } from "#cli/configuration/kinds/account.ts";
import { freezeKind } from "#cli/configuration/kinds/freezes.ts";
import { hookKind } from "#cli/configuration/kinds/hooks.ts";
import { memberKind } from "#cli/configuration/kinds/members.ts";
import { projectKind } from "#cli/configuration/kinds/projects.ts";
import { trustRuleKind } from "#cli/configuration/kinds/trust-rules.ts";
import { variableKind } from "#cli/configuration/kinds/variables.ts";
import { webhookKind } from "#cli/configuration/kinds/webhooks.ts";

/** The code of each kind. */
export const kinds: { readonly [Name in KindName]: Kind } = {
  account: accountKind,
  projects: projectKind,
  variables: variableKind,
  hooks: hookKind,
  webhooks: webhookKind,
  freezes: freezeKind,
  trust_rules: trustRuleKind,
  members: memberKind,
};

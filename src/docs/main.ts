import { APPEARANCE_KEY, colorSchemeOf } from "#contract/appearance.ts";
import { addCopyButtons } from "#docs/copy-buttons.ts";
import { markHeading } from "#docs/mark-heading.ts";
import { fillOrigin } from "#docs/origin.ts";
import { readStored } from "#docs/stored.ts";
import { mountSearch } from "#docs/search/search.tsx";
import { rememberLanguage } from "#docs/sample-language.ts";
import { mountTryIt } from "#docs/try-it/mount.tsx";

// As the dashboard shows them.
document.documentElement.style.colorScheme = colorSchemeOf(readStored(APPEARANCE_KEY));
fillOrigin();
rememberLanguage();
addCopyButtons();
mountSearch();
mountTryIt();
markHeading();

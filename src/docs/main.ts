import { addCopyButtons } from "#docs/copy-buttons.ts";
import { markHeading } from "#docs/mark-heading.ts";
import { fillOrigin } from "#docs/origin.ts";
import { mountSearch } from "#docs/search/search.tsx";
import { rememberLanguage } from "#docs/sample-language.ts";
import { mountTryIt } from "#docs/try-it/mount.tsx";

fillOrigin();
rememberLanguage();
addCopyButtons();
mountSearch();
mountTryIt();
markHeading();

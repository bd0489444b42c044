import { readStored, store } from "#docs/stored.ts";

const KEY = "gantry.docs.language";

/** Shows all samples in the language that the reader chose last, here or on another page. */
export function rememberLanguage(): void {
  choose(readStored(KEY));
  document.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLInputElement) || target.closest(".languages") === null) return;
    store(KEY, target.value);
    const { top } = target.getBoundingClientRect();
    choose(target.value);
    // The samples above it may have another height now.
    scrollBy(0, target.getBoundingClientRect().top - top);
  });
}

function choose(language: string | null): void {
  for (const input of document.querySelectorAll<HTMLInputElement>(".languages input"))
    if (input.value === language) input.checked = true;
}

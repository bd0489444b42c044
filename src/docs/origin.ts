/** Replaces the example's address in samples with that of this installation. */
export function fillOrigin(): void {
  for (const element of document.querySelectorAll(".origin")) element.textContent = location.origin;
}

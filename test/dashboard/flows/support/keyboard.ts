import { setTimeout as pause } from "node:timers/promises";

import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** How long a page may take to show again where the keyboard is, when something comes into it. */
const SETTLING_MS = 2_000;
/** More stops than any page has. */
const MOST_STOPS = 150;

/**
 * Somebody who has no mouse. Whatever the keyboard comes to is looked at: it must show that the keyboard is there, and
 * Tab must follow the order of reading.
 */
export type Keyboard = {
  /** Comes to an address of the dashboard with an API token. */
  readonly signIn: (to: { readonly url: string; readonly token: string }, path: string) => Promise<void>;
  /** Goes there by Tab alone. @throws where Tab does not lead there */
  readonly goTo: (target: Locator) => Promise<void>;
  /** Goes there and presses a key, Enter where none is named. */
  readonly press: (target: Locator, key?: string) => Promise<void>;
  /** Goes there, and writes in place of what was there. */
  readonly write: (target: Locator, text: string) => Promise<void>;
  /** Waits until the keyboard is there, where the page itself has to bring it there. */
  readonly isBroughtTo: (target: Locator) => Promise<void>;
  /** Goes once through all there is. @returns what it came by, in words. @throws where it is held */
  readonly goRound: (key?: "Tab" | "Shift+Tab") => Promise<readonly string[]>;
};

export function keyboardOf(page: Page): Keyboard {
  const goTo = async (target: Locator) => {
    for (let stops = 0; !(await lookAround(target, stops > 0)).isAtTarget; stops += 1) {
      if (stops === MOST_STOPS) throw new Error(`Tab does not lead to ${String(target)}`);
      await page.keyboard.press("Tab");
    }
  };
  const write = async (target: Locator, text: string) => {
    await goTo(target);
    await page.keyboard.press("Control+A");
    await page.keyboard.insertText(text);
  };
  return {
    async signIn({ url, token }, path) {
      await page.goto(url + path);
      await write(page.getByLabel("API token"), token);
      await page.keyboard.press("Enter");
    },
    goTo,
    async press(target, key = "Enter") {
      await goTo(target);
      await page.keyboard.press(key);
    },
    write,
    async isBroughtTo(target) {
      const whereItIs = async () => {
        const { isAtTarget, name } = await lookAt(target);
        return isAtTarget ? String(target) : name;
      };
      await expect.poll(whereItIs).toBe(String(target));
      await lookAround(target, false);
    },
    async goRound(key = "Tab") {
      const all = page.locator("html");
      const names: string[] = [];
      await page.evaluate("delete globalThis.stops");
      for (let stops = 0; stops < MOST_STOPS; stops += 1) {
        await page.keyboard.press(key);
        const { name, isKnown, isPage } = await lookAround(all, key === "Tab" && stops > 0);
        if (isKnown) return names;
        if (!isPage) names.push(name);
      }
      throw new Error(`There is no end after ${names.slice(-5).join(", ")}`);
    },
  };
}

type Stop = {
  readonly name: string;
  readonly isAtTarget: boolean;
  readonly isShown: boolean;
  /** It does not stand above or to the left of the stop that was looked at before. */
  readonly isInOrder: boolean;
  /** It has been looked at before. */
  readonly isKnown: boolean;
  /** It is no part of the page, but the whole, to which Tab comes past the last one. */
  readonly isPage: boolean;
};

/** @throws where one cannot see what the keyboard is at, or where Tab has gone back to it */
async function lookAround(target: Locator, isOnward: boolean): Promise<Stop> {
  let stop = await lookAt(target);
  const where = `${stop.name} of ${target.page().url()}`;
  // What another test has made may just have come into the page above it, and be made room for.
  for (const until = Date.now() + SETTLING_MS; !stop.isShown && Date.now() < until; await pause(20))
    stop = { ...stop, isShown: (await lookAt(target)).isShown };
  if (!stop.isShown) throw new Error(`Nothing shows that the keyboard is at ${where}`);
  if (isOnward && !stop.isInOrder) throw new Error(`Tab goes back to ${where}`);
  return stop;
}

/** What the keyboard is at. The page itself, which it is at past the last stop, needs not show it. */
function lookAt(target: Locator): Promise<Stop> {
  return target.evaluate((wanted) => {
    const { activeElement: at, body, defaultView: view } = wanted.ownerDocument;
    const isAtTarget = at === wanted;
    const isPage = at === null || at === body;
    if (isPage)
      return { name: "the page", isAtTarget, isShown: true, isInOrder: true, isKnown: false, isPage };
    const stops = (view.stops ??= []);
    const before = stops.at(-1);
    const isKnown = stops.includes(at);
    if (before !== at) stops.push(at);

    const text = at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent;
    const name = `${at.localName} "${text.trim().slice(0, 40)}"`;
    const { top, left, right, bottom } = at.getBoundingClientRect();
    const isInView = bottom > 0 && right > 0 && top < view.innerHeight && left < view.innerWidth;
    const { outlineStyle, outlineWidth } = view.getComputedStyle(at);
    const isMarked = at.matches(":focus-visible") && outlineStyle !== "none" && outlineWidth !== "0px";
    // Past the last stop it begins anew; and a box comes before what is in it.
    const isAfter = before?.isConnected && before.compareDocumentPosition(at) === 4;
    const last = isAfter ? before.getBoundingClientRect() : null;
    const isAbove = last !== null && bottom <= last.top && left < last.right;
    const isLeft = last !== null && top < last.bottom && bottom > last.top && right <= last.left;
    const isInOrder = !isAbove && !isLeft;
    return { name, isAtTarget, isShown: isMarked && isInView, isInOrder, isKnown, isPage };
  });
}

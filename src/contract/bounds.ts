import * as z from "zod/mini";

// Schemas with limits. Limits are inclusive. The length of a text is in UTF-16 units.

export const textLike = (pattern: RegExp, message?: string) => z.string().check(z.regex(pattern, message));

export const textUpTo = (most: number) => z.string().check(z.maxLength(most));

export const textBetween = (least: number, most: number) =>
  z.string().check(z.minLength(least), z.maxLength(most));

export const wholeFrom = (least: number) => z.int().check(z.minimum(least));

export const wholeBetween = (least: number, most: number) => z.int().check(z.minimum(least), z.maximum(most));

export const numberFrom = (least: number) => z.number().check(z.minimum(least));

export const numberBetween = (least: number, most: number) =>
  z.number().check(z.minimum(least), z.maximum(most));

export const listUpTo = <Item extends z.ZodMiniType>(item: Item, most: number) =>
  z.array(item).check(z.maxLength(most));

export const listBetween = <Item extends z.ZodMiniType>(item: Item, least: number, most: number) =>
  z.array(item).check(z.minLength(least), z.maxLength(most));

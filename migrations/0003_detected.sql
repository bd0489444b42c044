ALTER TABLE `projects` RENAME COLUMN "found" TO "detected";

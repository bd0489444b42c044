ALTER TABLE `projects` ADD `trailing_slash` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `fallback` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `asset_overlap` integer DEFAULT 86400 NOT NULL;
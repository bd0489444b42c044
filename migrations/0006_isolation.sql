ALTER TABLE `projects` ADD `limits` text DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE `servers` ADD `isolation` text;
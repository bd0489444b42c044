ALTER TABLE `servers` ADD `region` text;--> statement-breakpoint
ALTER TABLE `servers` ADD `detected_region` text;
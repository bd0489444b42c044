ALTER TABLE `servers` ADD `disk_image_bytes` real;--> statement-breakpoint
ALTER TABLE `servers` ADD `containers` text;
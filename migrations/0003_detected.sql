ALTER TABLE `projects` ADD `detected` text;--> statement-breakpoint
UPDATE `projects` SET `detected` = `found`;

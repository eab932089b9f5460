// One entry for each file in Sources/Web/WebGarden/Assets, in the order of their names. A test compares the list with the
// folder.

#include "garden_assets.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char file_00_tokens_css[] = {
#embed "../WebGarden/Assets/00-tokens.css"
};
static const unsigned char file_10_page_css[] = {
#embed "../WebGarden/Assets/10-page.css"
};
static const unsigned char file_20_buttons_css[] = {
#embed "../WebGarden/Assets/20-buttons.css"
};
static const unsigned char file_21_fields_css[] = {
#embed "../WebGarden/Assets/21-fields.css"
};
static const unsigned char file_22_notices_css[] = {
#embed "../WebGarden/Assets/22-notices.css"
};
static const unsigned char file_30_cards_css[] = {
#embed "../WebGarden/Assets/30-cards.css"
};
static const unsigned char file_31_plants_css[] = {
#embed "../WebGarden/Assets/31-plants.css"
};
static const unsigned char file_32_garden_css[] = {
#embed "../WebGarden/Assets/32-garden.css"
};
static const unsigned char file_33_plant_css[] = {
#embed "../WebGarden/Assets/33-plant.css"
};
static const unsigned char file_34_water_css[] = {
#embed "../WebGarden/Assets/34-water.css"
};
static const unsigned char file_35_calendar_css[] = {
#embed "../WebGarden/Assets/35-calendar.css"
};
static const unsigned char file_36_tables_css[] = {
#embed "../WebGarden/Assets/36-tables.css"
};
static const unsigned char file_37_things_css[] = {
#embed "../WebGarden/Assets/37-things.css"
};
static const unsigned char file_38_stores_css[] = {
#embed "../WebGarden/Assets/38-stores.css"
};
static const unsigned char file_40_sheet_css[] = {
#embed "../WebGarden/Assets/40-sheet.css"
};
static const unsigned char file_50_welcome_css[] = {
#embed "../WebGarden/Assets/50-welcome.css"
};
static const unsigned char file_90_forced_css[] = {
#embed "../WebGarden/Assets/90-forced.css"
};
static const unsigned char file_apple_touch_icon_180_png[] = {
#embed "../WebGarden/Assets/apple-touch-icon-180.png"
};
static const unsigned char file_badge_96_png[] = {
#embed "../WebGarden/Assets/badge-96.png"
};
static const unsigned char file_badge_svg[] = {
#embed "../WebGarden/Assets/badge.svg"
};
static const unsigned char file_cherish_js[] = {
#embed "../WebGarden/Assets/cherish.js"
};
static const unsigned char file_contact_js[] = {
#embed "../WebGarden/Assets/contact.js"
};
static const unsigned char file_contacts_js[] = {
#embed "../WebGarden/Assets/contacts.js"
};
static const unsigned char file_counter_js[] = {
#embed "../WebGarden/Assets/counter.js"
};
static const unsigned char file_cover_js[] = {
#embed "../WebGarden/Assets/cover.js"
};
static const unsigned char file_enter_js[] = {
#embed "../WebGarden/Assets/enter.js"
};
static const unsigned char file_garden_js[] = {
#embed "../WebGarden/Assets/garden.js"
};
static const unsigned char file_guess_js[] = {
#embed "../WebGarden/Assets/guess.js"
};
static const unsigned char file_icon_192_png[] = {
#embed "../WebGarden/Assets/icon-192.png"
};
static const unsigned char file_icon_512_png[] = {
#embed "../WebGarden/Assets/icon-512.png"
};
static const unsigned char file_icon_maskable_512_png[] = {
#embed "../WebGarden/Assets/icon-maskable-512.png"
};
static const unsigned char file_icon_maskable_svg[] = {
#embed "../WebGarden/Assets/icon-maskable.svg"
};
static const unsigned char file_icon_svg[] = {
#embed "../WebGarden/Assets/icon.svg"
};
static const unsigned char file_indexed_storage_js[] = {
#embed "../WebGarden/Assets/indexed-storage.js"
};
static const unsigned char file_keep_js[] = {
#embed "../WebGarden/Assets/keep.js"
};
static const unsigned char file_lock_js[] = {
#embed "../WebGarden/Assets/lock.js"
};
static const unsigned char file_motion_js[] = {
#embed "../WebGarden/Assets/motion.js"
};
static const unsigned char file_offline_garden_js[] = {
#embed "../WebGarden/Assets/offline-garden.js"
};
static const unsigned char file_offline_js[] = {
#embed "../WebGarden/Assets/offline.js"
};
static const unsigned char file_once_js[] = {
#embed "../WebGarden/Assets/once.js"
};
static const unsigned char file_plants_css[] = {
#embed "../WebGarden/Assets/plants.css"
};
static const unsigned char file_plants_svg[] = {
#embed "../WebGarden/Assets/plants.svg"
};
static const unsigned char file_position_js[] = {
#embed "../WebGarden/Assets/position.js"
};
static const unsigned char file_push_js[] = {
#embed "../WebGarden/Assets/push.js"
};
static const unsigned char file_queue_js[] = {
#embed "../WebGarden/Assets/queue.js"
};
static const unsigned char file_sheet_js[] = {
#embed "../WebGarden/Assets/sheet.js"
};
static const unsigned char file_signing_out_js[] = {
#embed "../WebGarden/Assets/signing-out.js"
};
static const unsigned char file_storage_js[] = {
#embed "../WebGarden/Assets/storage.js"
};
static const unsigned char file_sync_js[] = {
#embed "../WebGarden/Assets/sync.js"
};
static const unsigned char file_worker_js[] = {
#embed "../WebGarden/Assets/worker.js"
};

#define FILE(name, bytes) {name, bytes, sizeof bytes}

static const struct garden_asset files[] = {
    FILE("00-tokens.css", file_00_tokens_css),
    FILE("10-page.css", file_10_page_css),
    FILE("20-buttons.css", file_20_buttons_css),
    FILE("21-fields.css", file_21_fields_css),
    FILE("22-notices.css", file_22_notices_css),
    FILE("30-cards.css", file_30_cards_css),
    FILE("31-plants.css", file_31_plants_css),
    FILE("32-garden.css", file_32_garden_css),
    FILE("33-plant.css", file_33_plant_css),
    FILE("34-water.css", file_34_water_css),
    FILE("35-calendar.css", file_35_calendar_css),
    FILE("36-tables.css", file_36_tables_css),
    FILE("37-things.css", file_37_things_css),
    FILE("38-stores.css", file_38_stores_css),
    FILE("40-sheet.css", file_40_sheet_css),
    FILE("50-welcome.css", file_50_welcome_css),
    FILE("90-forced.css", file_90_forced_css),
    FILE("apple-touch-icon-180.png", file_apple_touch_icon_180_png),
    FILE("badge-96.png", file_badge_96_png),
    FILE("badge.svg", file_badge_svg),
    FILE("cherish.js", file_cherish_js),
    FILE("contact.js", file_contact_js),
    FILE("contacts.js", file_contacts_js),
    FILE("counter.js", file_counter_js),
    FILE("cover.js", file_cover_js),
    FILE("enter.js", file_enter_js),
    FILE("garden.js", file_garden_js),
    FILE("guess.js", file_guess_js),
    FILE("icon-192.png", file_icon_192_png),
    FILE("icon-512.png", file_icon_512_png),
    FILE("icon-maskable-512.png", file_icon_maskable_512_png),
    FILE("icon-maskable.svg", file_icon_maskable_svg),
    FILE("icon.svg", file_icon_svg),
    FILE("indexed-storage.js", file_indexed_storage_js),
    FILE("keep.js", file_keep_js),
    FILE("lock.js", file_lock_js),
    FILE("motion.js", file_motion_js),
    FILE("offline-garden.js", file_offline_garden_js),
    FILE("offline.js", file_offline_js),
    FILE("once.js", file_once_js),
    FILE("plants.css", file_plants_css),
    FILE("plants.svg", file_plants_svg),
    FILE("position.js", file_position_js),
    FILE("push.js", file_push_js),
    FILE("queue.js", file_queue_js),
    FILE("sheet.js", file_sheet_js),
    FILE("signing-out.js", file_signing_out_js),
    FILE("storage.js", file_storage_js),
    FILE("sync.js", file_sync_js),
    FILE("worker.js", file_worker_js),
};

const size_t garden_asset_count = sizeof files / sizeof files[0];

const struct garden_asset *garden_assets(void) { return files; }

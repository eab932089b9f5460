"""Two neighbours in two browsers: one writes a shopping list, the other fetches it."""

from garden import Person

# The columns of GeoNames: both codes are 2 km apart.
POSTCODES = "".join(
    f"KR\t{code}\tJung-gu\tSeoul\t11\t\t\t\t\t{latitude}\t126.978\t4\n" for code, latitude in (("04524", 37.5665), ("04525", 37.585)))


def import_postcodes(garden):
    with open(f"{garden.home}/postcodes.txt", "w", encoding="utf-8") as file:
        file.write(POSTCODES)
    garden.cherish("postcode", "import", f"{garden.home}/postcodes.txt")


class Neighbours:
    def __init__(self, garden, browser, **options):
        import_postcodes(garden)
        self.owner, self.helper = Person(garden, browser, **options), Person(garden, browser, **options)
        for person, nickname, code in ((self.owner, "Minji", "04524"), (self.helper, "Hana", "04525")):
            person.sign_up(nickname)
            person.open("/lists/nearby")
            person.check("postcode" in person.page.inner_text("main") or "우편번호" in person.page.inner_text("main"),
                         "who has no postcode is told what to do")
            person.open("/more/profile")
            person.write(postcode=code, country="kr")
            person.send()

    def write(self, look=lambda name: None):
        """The owner writes a list and opens it; returns its path."""
        owner = self.owner
        owner.open("/things")
        owner.click('a[href="/lists"]')
        look("shopping lists, empty")
        owner.click('.tiles a[href="/lists/new"]')
        look("shopping list, new")
        owner.write(title="Groceries", entries="milk, 2 l\neggs\n\nbread")
        self.close_browser()
        owner.write(deliveryNote="At the door, 3rd floor")
        owner.send()
        list_path = owner.path().split("?")[0]
        owner.open("/lists/new")
        owner.check(owner.page.input_value("#entries") == "", "a saved list is not kept any more")
        owner.open(list_path)
        look("shopping list, draft")
        owner.send(f'form[action="{list_path}/opening"]')
        look("shopping list, open")
        owner.check("Groceries" in owner.page.inner_text("h1"), "the list has its title")
        return list_path

    def close_browser(self):
        """The owner closes the browser while writing, and goes on in another one with what that has kept."""
        owner = self.owner
        kept = owner.context.storage_state()
        owner.close()
        # First, somebody else signs in there, without a sign-out before.
        owner.open_browser(storage_state={"cookies": [], "origins": kept["origins"]})
        owner.open("/sign-in")
        owner.write(email=self.helper.email, password=self.helper.password)
        owner.send()
        owner.open("/lists")
        owner.check(not owner.page.locator("[data-awaits]").is_visible(), "another account finds no list that was begun")
        owner.open("/lists/new")
        owner.check(owner.page.input_value("#entries") == "", "another account does not see what was written")
        owner.close()
        owner.open_browser(storage_state=kept)
        owner.open("/lists")
        owner.check(owner.page.locator("[data-awaits]").is_visible(), "the page says that a list was begun")
        owner.click("[data-awaits] a")
        owner.check(owner.page.input_value("#entries") == "milk, 2 l\neggs\n\nbread", "what was written is still there")
        owner.check(owner.page.input_value("#title") == "Groceries", "so is the title")

    def accept(self, list_path, look=lambda name: None):
        """The helper finds the list and accepts it."""
        helper = self.helper
        helper.open("/lists/nearby")
        look("neighbours' lists")
        shown = helper.page.inner_text("main")
        helper.check("Minji" in shown and "Groceries" not in shown and "door" not in shown,
                     "before the acceptance a stranger sees the nickname, and neither title nor delivery note")
        helper.check(helper.page.locator(".place-map .carrot").count() == helper.page.locator(".things > li").count(),
                     "the picture has as many carrots as the list has lines")
        helper.click(f'form[action="{list_path}/acceptance"] button')
        helper.check(helper.path() == list_path, "the helper comes to the list")
        helper.check("At the door" in helper.page.inner_text("main"), "the helper reads where to leave the shopping")
        look("shopping list, helper")

    def fetch(self, list_path, look=lambda name: None):
        """The helper buys and delivers; the owner rates."""
        owner, helper = self.owner, self.helper
        helper.click(f'form[action="{list_path}/bought"] button')
        helper.check(helper.page.locator(".entry .thriving").count() == 1, "one entry is bought")
        owner.open(list_path)
        owner.check(owner.page.locator(".entry .thriving").count() == 1, "the owner sees what is bought")
        owner.check("Hana" in owner.page.inner_text("main"), "the owner sees who helps")
        self.show_receipt(list_path, look)
        helper.send(f'form[action="{list_path}/delivery"]')
        owner.open(list_path)
        look("shopping list, delivered")
        owner.click(f'form[action="{list_path}/rating"] button[value="5"]')
        owner.check(owner.page.locator(f'form[action="{list_path}/rating"]').count() == 0, "the helper is rated once")
        helper.open("/lists")
        helper.check("Groceries" in helper.page.inner_text("main"), "the helper has the list for a day")

    def show_receipt(self, list_path, look):
        """The helper attaches a picture, then a PDF; the owner sees both."""
        owner, helper = self.owner, self.helper
        fixtures = "Tests/Service/PicturesTests/Fixtures"
        for file in ("receipt.pdf", "location.jpg"):
            helper.page.set_input_files("#receipt", f"{fixtures}/{file}")
            helper.click(f'form[action="{list_path}/receipt"] button')
            helper.check(helper.path() == list_path, f"{file} is taken")
            owner.open(list_path)
            look(f"shopping list, receipt {file}")
            if file.endswith("pdf"):
                with owner.page.expect_download() as download:
                    owner.page.locator('main a[href$="/receipt"]').click()
                owner.check(download.value.suggested_filename == "receipt.pdf", "a PDF is downloaded, not shown")
            else:
                width = owner.page.locator("img.receipt").evaluate("image => image.naturalWidth")
                owner.check(width > 0, "the owner sees the picture")
        helper.page.set_input_files("#receipt", f"{fixtures}/locked.pdf")
        helper.click(f'form[action="{list_path}/receipt"] button')
        helper.check("locked" in helper.page.inner_text("main"), "a locked PDF is refused with a sentence")
        helper.open(list_path)

    def part(self, list_path, look=lambda name: None):
        """Another list is given back, reported and blocked."""
        owner, helper = self.owner, self.helper
        helper.open(list_path)
        helper.page.locator("summary").first.click()
        helper.click(f'a[href="{list_path}/report"]')
        look("shopping list, report")
        helper.write(reason="Asks for money")
        helper.send()
        helper.check("done=reported" in helper.path(), "the report is sent")
        helper.open(list_path)
        helper.click(f'form[action="{list_path}/release"] button')
        helper.check(helper.path() == "/lists?done=released", "the list is given back")
        helper.check(helper.open(list_path).status == 404, "who has given it back sees it no more")
        owner.open(list_path)
        owner.click(f'form[action="{list_path}/cancellation"] button')
        owner.check("cancelled" in owner.page.inner_text("main"), "the owner takes it back")

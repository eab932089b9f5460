"""A desktop for notifications: `org.freedesktop.Notifications` on a private D-Bus. It records what programs show, and clicks.

Needs Debian's dbus-daemon and jeepney from PyPI; Firefox needs Debian's libnotify4."""

import subprocess
import threading
from dataclasses import dataclass

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

from eventually import eventually

NAME = "org.freedesktop.Notifications"
OBJECT = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
# Why a notification is closed.
BY_THE_PERSON, BY_THE_PROGRAM = 2, 3


@dataclass
class Notification:
    """What a program shows."""

    id: int
    title: str
    body: str
    # The name of each button by its words; the program chooses the names.
    buttons: dict[str, str]


class Desktop:
    """Programs that run with the variables of `environment` show their notifications here."""

    def __init__(self):
        # Oldest first. One that replaces another has its id.
        self.shown = []
        self.bus = subprocess.Popen(
            ["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True)
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": self.bus.stdout.readline().strip()}
        self.connection = open_dbus_connection(self.environment["DBUS_SESSION_BUS_ADDRESS"])
        self.connection.send_and_get_reply(message_bus.RequestName(NAME))
        threading.Thread(target=self.answer, daemon=True).start()

    def answer(self):
        """Answers programs until the bus ends."""
        try:
            while True:
                call = self.connection.receive()
                if call.header.message_type != MessageType.method_call:
                    continue
                match call.header.fields[HeaderFields.member]:
                    case "GetServerInformation":
                        self.reply(call, "ssss", ("desktop", "cherish", "1", "1.2"))
                    case "GetCapabilities":
                        self.reply(call, "as", (["actions", "body"],))
                    case "Notify":
                        _, replaces, _, title, body, buttons, _, _ = call.body
                        id = replaces or len(self.shown) + 1
                        self.reply(call, "u", (id,))
                        # Not earlier: a program understands no click before it knows the id.
                        self.shown.append(Notification(id, title, body, dict(zip(buttons[1::2], buttons[::2]))))
                    case "CloseNotification":
                        self.reply(call)
                        self.tell("NotificationClosed", "uu", (call.body[0], BY_THE_PROGRAM))
                    case _:
                        self.connection.send(new_error(call, "org.freedesktop.DBus.Error.UnknownMethod"))
        except OSError:
            pass

    def reply(self, call, types=None, values=()):
        self.connection.send(new_method_return(call, types, values))

    def tell(self, signal, types, values):
        self.connection.send(new_signal(OBJECT, signal, types, values))

    def wait_for(self, number):
        """Waits until so many notifications were shown, and returns the last of these."""
        return eventually(lambda: self.shown[number - 1 : number], f"{number} notifications were shown")[0]

    def click(self, notification, words=None):
        """Clicks a notification, or its button with these words. Like most desktops, takes it away then."""
        if words and words not in notification.buttons:
            raise SystemExit(f"error: no button {words}, but {', '.join(notification.buttons)}")
        self.tell("ActionInvoked", "us", (notification.id, notification.buttons[words] if words else "default"))
        self.tell("NotificationClosed", "uu", (notification.id, BY_THE_PERSON))

    def close(self):
        self.bus.terminate()
        self.bus.wait()

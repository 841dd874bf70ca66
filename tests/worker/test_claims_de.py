"""German claims: in German nothing was ever "no longer so", as each noun was read as a name."""

import pytest

import graphmem
from graphmem_worker.claims.superseding import may_replace, superseding
from graphmem_worker.claims.vocabulary import language_of, lexicon_in


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Ich wohne in Leipzig.", "Ich bin nach Halle gezogen."),
        ("Ich wohne in Leipzig.", "Ich wohne jetzt in Halle."),
        ("Die Miete ist 900 Euro.", "Die Miete beträgt jetzt 950 Euro."),
        ("Die Miete beträgt 1.200 Euro.", "Die Miete ist auf 1.250 Euro gestiegen."),
        ("Silke macht Yoga.", "Silke hat mit Yoga aufgehört."),
        ("Ich habe ein Abo bei Netflix.", "Ich habe das Abo bei Netflix gekündigt."),
        ("Jonte spielt Fußball bei Eichholz.", "Jonte spielt nicht mehr Fußball."),
        ("Der Elternabend ist am Montag.", "Der Elternabend wurde auf Mittwoch verschoben."),
        ("Lena arbeitet bei Bosch.", "Lena arbeitet jetzt bei Siemens."),
        ("Ich nehme 75 Mikrogramm Thyroxin.", "Ich nehme jetzt 88 Mikrogramm Thyroxin."),
        ("Wir nutzen Postgres 14.", "Wir nutzen jetzt Postgres 15."),
        ("Meine Schwester Heike raucht.", "Heike raucht nicht mehr."),
        ("Meine Schwester raucht.", "Meine Schwester hat mit dem Rauchen aufgehört."),
        ("Tom fährt einen Golf.", "Tom hat den Golf verkauft."),
        ("Tom fährt den alten Golf.", "Tom fährt den alten Golf nicht mehr."),
        ("Ich trinke abends Bier.", "Ich trinke kein Bier mehr."),
        ("Opa wohnt in Kassel.", "Opa wohnt jetzt in Fulda."),
        ("Ich bin im Ruderverein.", "Ich bin aus dem Ruderverein ausgetreten."),
        ("Strom kostet 86 Euro im Monat.", "Strom kostet jetzt 94 Euro im Monat."),
        ("Der Vertrag mit Vodafone läuft.", "Der Vertrag mit Vodafone ist gekündigt."),
        ("Die Probe ist am Montag.", "Die Probe am Montag wurde auf Freitag verlegt."),
        ("Die Miete beträgt 900 Euro.", "Die Miete ist von 900 auf 950 Euro gestiegen."),
    ],
)
def test_an_end_or_a_change_in_german_words_is_sure(older: str, newer: str) -> None:
    """What was over or had another value was told as if it held."""
    found = superseding((older,), (newer,))
    assert found is not None
    assert found.is_sure
    assert may_replace((newer,))


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("Meine Schwester raucht.", "Mein Bruder raucht nicht mehr."),
        ("Die Miete von Tarek ist 900 Euro.", "Meine Miete ist jetzt 950 Euro."),
        ("Meine Miete ist 900 Euro.", "Die Miete von Tarek ist jetzt 950 Euro."),
        ("Meine Miete ist 900 Euro.", "Die Miete von der Hanna ist jetzt 950 Euro."),
        ("Die Hanna spielt Flöte.", "Der Moritz spielt nicht mehr Flöte."),
        ("Die Hanna spielt dienstags Flöte.", "Der Moritz spielt jetzt freitags Flöte."),
        ("Frau Schöpf fährt einen Golf.", "Herr Schöpf hat den Golf verkauft."),
        ("Frau Schöpf raucht.", "Herr Schöpf raucht nicht mehr."),
        ("Simon raucht.", "Simone raucht nicht mehr."),
        ("Das Abo bei Netflix kostet 12 Euro.", "Das Abo bei Spotify ist gekündigt."),
        ("Der Kurs am Montag ist um 18 Uhr.", "Der Kurs am Mittwoch ist abgesagt."),
        ("Miriam ist Vegetarierin.", "Miriams Mann ist kein Vegetarier mehr."),
        ("Silke wohnt in Schwaan.", "Antje wohnt jetzt in Wismar."),
        ("Silke wohnt in Schwaan.", "Ich wohne jetzt in Wismar."),
        ("Meine Tochter geht in die Kita.", "Mein Sohn geht nicht mehr in die Kita."),
        ("Wir haben ein rotes Rad.", "Das blaue Rad ist verkauft."),
        (
            "Ich habe einen Vertrag bei der Werkstatt.",
            "Bei der Pizzeria habe ich den Vertrag gekündigt.",
        ),
        ("Die Stute vom Steinlechner hustet.", "Der Hengst vom Steinlechner hustet nicht mehr."),
        ("Heike hat ein Konto bei der Sparkasse.", "Heike hat das Depot bei der Bank aufgelöst."),
        ("Ich esse Fisch.", "Lukas isst keinen Fisch mehr."),
        ("Mein Kollege trinkt Kaffee.", "Mein Nachbar trinkt keinen Kaffee mehr."),
        ("Opa nimmt Aspirin.", "Oma nimmt kein Aspirin mehr."),
        ("Die Miete beträgt 1.200 Euro.", "Die Miete beträgt jetzt 1200 Euro."),
        ("Der Chor ist freitags.", "Der Chor ist jetzt am Freitag um acht."),
        # What was so is another value; a span of time is no change; it is of today, or of a part.
        ("Das Training ist um 19 Uhr.", "Das Training wurde von 18 auf 19 Uhr verlegt."),
        ("Das Training ist um 18 Uhr.", "Das Training ist jetzt von 18 bis 19 Uhr."),
        ("Das Training ist um 18 Uhr.", "Heute wurde das Training von 18 auf 19 Uhr verlegt."),
        ("Ich trinke Kaffee.", "Ich trinke bis vier Uhr keinen Kaffee mehr."),
        ("Ich wohne in Leipzig.", "Ich will nach Halle ziehen."),
        ("Ich habe den Vertrag.", "Ich habe den Vertrag nicht gekündigt."),
        ("Jonas arbeitet bei Bosch.", "Lena arbeitet nicht mehr bei Bosch."),
        ("Mein Freund wohnt in Ulm.", "Mein Freund ist nach Köln gezogen."),
        ("Die Garage kostet 74 Euro.", "Der Stellplatz kostet jetzt 80 Euro."),
        ("Das Parken in der Garage kostet 74 Euro.", "Das Parken am Hafen kostet jetzt 80 Euro."),
        (
            "Der Termin bei Dr. Meier ist am Montag.",
            "Der Termin bei Dr. Huber wurde auf Mittwoch verschoben.",
        ),
        ("Der Arzt hat mir Ramipril verschrieben.", "Der Arzt hat Mama das Ramipril abgesetzt."),
        ("Ich nehme Ramipril.", "Der Arzt hat Mama das Ramipril abgesetzt."),
        ("Die Wohnung oben ist vermietet.", "Die Wohnung unten ist verkauft."),
        ("Unser Hund frisst Trockenfutter.", "Unsere Katze frisst kein Trockenfutter mehr."),
        ("Lukas spart auf ein Rad.", "Lukas hat das Segeln aufgegeben."),
        ("Kirchmair hat Ziegen.", "Steinlechner hat die Ziegen verkauft."),
        ("Die Lehrerin von Jonte ist Frau Thaler.", "Die Lehrerin von Frida ist jetzt Frau Maier."),
        ("Frau Kranz macht die Buchhaltung.", "Herr Kranz macht die Buchhaltung nicht mehr."),
        ("Christian hat ein Boot.", "Christiane hat das Boot verkauft."),
        ("Anna Müller raucht.", "Anna Schmidt raucht nicht mehr."),
        ("Tante Gisela raucht.", "Tante Helga raucht nicht mehr."),
        ("Im Haus 12 gibt es Ratten.", "In Haus 14 gibt es keine Ratten mehr."),
        ("Mein linkes Knie ist kaputt.", "Das rechte Knie ist nicht mehr kaputt."),
        ("Die Wärmepumpe von Köhlers ist kaputt.", "Unsere Wärmepumpe ist nicht mehr kaputt."),
        ("Das Rad von Lena ist in der Werkstatt.", "Das Rad von Ole ist verkauft."),
        ("Mein Auto steht in der Garage.", "Mamas Auto ist verkauft."),
        ("Ich habe ein Auto.", "Mama hat ihr Auto verkauft."),
        ("Mama hat ein Auto.", "Ich habe das Auto verkauft."),
        ("Die Katze von nebenan heißt Mimi.", "Unsere Katze ist gestorben."),
        ("Herr Wolf leitet den Chor.", "Frau Wolf leitet den Chor nicht mehr."),
        ("Der Yogakurs kostet 80 Euro.", "Der Malkurs kostet jetzt 90 Euro."),
        ("Ich gehe montags schwimmen.", "Jonas geht nicht mehr schwimmen."),
        ("Ben trinkt Milch.", "Ida trinkt keine Milch mehr."),
        ("Die Hanna trinkt Milch.", "Der Moritz trinkt keine Milch mehr."),
        ("Der kleine Bruder von Ben raucht.", "Der große Bruder von Ben raucht nicht mehr."),
        ("Das Zimmer oben kostet 380 Euro.", "Das Zimmer unten kostet jetzt 410 Euro."),
        ("Yannick zahlt 380 Euro.", "Samira zahlt jetzt 410 Euro."),
        ("Jonte hat Schuhgröße 32.", "Frida hat jetzt Schuhgröße 28."),
        ("Der Vertrag mit Vodafone läuft.", "Der Vertrag mit Telekom ist gekündigt."),
        ("Der Vertrag bei der Telekom läuft.", "Der Vertrag bei der Vodafone ist gekündigt."),
        ("Ich nehme morgens Ramipril.", "Ich nehme abends kein Aspirin mehr."),
        ("Mein Bruder Tom wohnt in Ulm.", "Mein Bruder Jan wohnt jetzt in Köln."),
        ("Meine Freundin Eva wohnt in Ulm.", "Meine Freundin Ida ist nach Köln gezogen."),
        ("Dr. Meier ist mein Hausarzt.", "Dr. Sander ist nicht mehr mein Ohrenarzt."),
        ("Die Mutter von Ben raucht.", "Die Mutter von Ida raucht nicht mehr."),
        ("Bens Mutter raucht.", "Idas Mutter raucht nicht mehr."),
        ("Meine Mutter raucht.", "Bens Mutter raucht nicht mehr."),
        ("Meine Mutter nimmt Ramipril 5 mg.", "Bens Mutter nimmt jetzt Ramipril 10 mg."),
        ("Der Garten kostet 210 Euro Pacht.", "Der Acker kostet jetzt 300 Euro Pacht."),
        ("Ich arbeite bei Bosch.", "Mein Mann arbeitet nicht mehr bei Bosch."),
        ("Mein Mann arbeitet bei Bosch.", "Ich arbeite nicht mehr bei Bosch."),
        (
            "Die Besprechung am Montag ist um 9 Uhr.",
            "Die Besprechung am Freitag wurde auf 11 Uhr verlegt.",
        ),
        ("Der Bus 12 fährt um 7:40.", "Der Bus 14 fährt jetzt um 7:50."),
        ("Wir haben zwei Katzen.", "Nachbars haben jetzt drei Katzen."),
        ("Tanjas Kurs ist dienstags.", "Majas Kurs ist jetzt donnerstags."),
        ("Das Wohnzimmer ist blau gestrichen.", "Das Schlafzimmer wird nicht mehr blau."),
        (
            "Der Schlüssel vom Keller liegt im Flur.",
            "Der Schlüssel vom Schuppen liegt nicht mehr im Flur.",
        ),
        ("Die Probe am Montag ist um 19 Uhr.", "Die Probe am Freitag wurde auf Samstag verlegt."),
        ("Kai spielt Geige.", "Kais Tochter spielt keine Geige mehr."),
        ("Kais Tochter spielt Geige.", "Kai spielt keine Geige mehr."),
        ("Ich habe Lena das Buch geliehen.", "Ich habe Ole das Buch zurückgegeben."),
        ("Ich mag den Kurs von Lena.", "Ich habe den Kurs von Ole abgesagt."),
        ("Die Firma hat 40 Mitarbeiter.", "Die Schule hat jetzt 45 Mitarbeiter."),
        ("Emma ist in der 3. Klasse.", "Paul ist jetzt in der 4. Klasse."),
        ("Unser Kater wiegt 5 Kilo.", "Unser Hund wiegt 12 Kilo."),
        ("Opa wiegt 80 Kilo.", "Oma wiegt 70 Kilo."),
        ("Lukas wiegt 80 Kilo.", "Moritz wiegt 70 Kilo."),
        ("Der Lukas wiegt 80 Kilo.", "Der Moritz wiegt 70 Kilo."),
        ("Das Paket wiegt 4 Kilo.", "Das zweite Paket wiegt 7 Kilo."),
        ("Eine Fahrt kostet 3 Euro.", "Eine Monatskarte kostet 49 Euro."),
        ("Der Eintritt kostet 8 Euro.", "Der Eintritt für Kinder kostet 4 Euro."),
        ("Das Ticket nach Berlin kostet 49 Euro.", "Das Ticket nach Hamburg kostet 39 Euro."),
        ("Die Wohnung in Ulm kostet 700 Euro.", "Die Wohnung in Köln kostet 900 Euro."),
        ("Strom kostet 86 Euro.", "Gas kostet 94 Euro."),
        ("Die Mittagspause ist um 12 Uhr.", "Die Kaffeepause ist jetzt um 15 Uhr."),
    ],
)
def test_what_is_of_another_person_or_thing_supersedes_nothing(older: str, newer: str) -> None:
    """A wrong "no longer so" is worse than none: "die Hanna" and "der Moritz", "Simon" and "Simone",
    Frau and Herr Schöpf, Miriam and her husband are two."""
    found = superseding((older,), (newer,))
    assert found is None or not found.is_sure


def test_what_one_says_of_oneself_ends_nothing_that_another_said() -> None:
    """ "Ich" means who speaks."""
    said = ("Ich rauche.",), ("Ich rauche nicht mehr.",)
    assert superseding(*said, ("Heike", "Silke")) is None
    found = superseding(*said, ("Heike", "Heike"))
    assert found is not None
    assert found.is_sure


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Die Miete beträgt jetzt 950 Euro.", "de"),
        ("Miete jetzt 950.", "de"),
        ("Meine Lesebrille hat plus 1,25.", "de"),
        ("The war ended, and the man died.", "en"),
        ("Jürgen moved to Köln.", "en"),
        ("Kim.", "en"),
        ("房租是900元。", "zh"),
    ],
)
def test_a_text_is_read_with_the_table_of_its_language(text: str, language: str) -> None:
    """Words such as "die", "war" and "man" are of two languages and tell neither."""
    assert language_of(text) == language


def test_a_recall_marks_what_is_over_in_german() -> None:
    """The old employer stood beside the new one as if both held."""
    with graphmem.open(worker="none") as memory:
        older = memory.remember("Lena arbeitet bei Bosch.")[0].id
        memory.remember("Jonas arbeitet bei Bosch.")
        newer = memory.remember("Lena arbeitet jetzt bei Siemens.")[0].id
        found = memory.recall("Wo arbeitet Lena?", use=False)
        assert [hit.id for hit in found][:1] == [newer]
        assert {node for hit in found for node in hit.earlier} == {older}


def test_a_long_compound_is_common_by_a_short_last_part() -> None:
    """It was read as a name, so that another boat was another person."""
    nouns = lexicon_in("de").nouns
    assert nouns is not None
    for said in ("boot", "segelboot", "gewächshaus", "kartoffelsuppe", "sommerfest"):
        assert nouns.is_common(said)
    for said in ("oswald", "hanna"):
        assert not nouns.is_common(said)

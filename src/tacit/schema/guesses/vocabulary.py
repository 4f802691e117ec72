"""Words and abbreviations of names and cells, in English and other languages, in lower case; names without accents."""

from __future__ import annotations


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


PERSONS = _listed(
    "patient pat person pers people customer cust client member mbr user usr subject subj usubj student stud pupil "
    "employee emp respondent resp participant citizen tenant voter donor applicant taxpayer household hh hhold family "
    "patientin patienten kunde kunden mitglied mitglieds versicherten schueler teilnehmer probanden mitarbeiter "
    "personal haushalt haushalts klienten personen "
    "personne individu eleve etudiant salarie assure menage foyer adherent "
    "paciente persona pessoa cliente usuario alumno aluno estudiante empleado socio afiliado hogar sujeto "
    "paziente utente studente dipendente assistito famiglia soggetto "
    "persoon klant leerling verzekerde huishouden deelnemer kund elev hushall husstand potilas henkilo asiakas "
    "pacjent pacjenta osoba osoby klient klienta ucznia pacient pacienta zaka hasta musteri kisi ogrenci "
    "пациент пациента клиент клиента человек человека лицо лица "
    "患者 病人 顧客 客户 学生 會員 会員 会员 用户 個人 个人 환자 고객"
)
"""In the singular, as many of them are counted: ``num_patients`` is no number of a person."""

RECORDS = _listed(
    "case record rec dossier file chart claim policy encounter enc visit admission stay episode specimen order "
    "transaction trans ticket invoice contract account acct loan application interview questionnaire form row line "
    "entry seq src study reg registration serial hospital "
    "fall secu vorgang vorgangs akten aufenthalts vertrags konto auftrags rechnungs fragebogen lfd laufende beleg "
    "antrags versicherungs "
    "cas sejour contrat compte facture expediente caso contrato cuenta processo prontuario historia pratica cartella "
    "contratto zaak arende sprawa sprawy umowy дела записи заказа 病历 病歷 症例"
)
"""Each of which is of one person, who may have several."""

THINGS = _listed(
    "product item article store shop school site ward station city town county region state country department "
    "branch plan model device drug diagnosis diag procedure occupation industry sector location area zone tract "
    "district province municipality street building room bed floor route flight vehicle category type class kind "
    "group grade status level color brand unit team project event batch lot lane zip postal post source payer "
    "specialty disposition month week day year quarter hour season page chapter version wave round period "
    "produkt artikel filial schul ort orts kreis land haus zimmer post "
    "produit article magasin ville pays postal producto tienda ciudad pais prodotto negozio citta paese"
)

IDENTIFIERS = _listed(
    "id ids uid guid uuid pk ident identifier identifiant identificador identificativo identyfikator identifikator "
    "identifikation kennung identificacion идентификатор ид seqn seqno seqnum"
)
"""Which say by themselves that something is numbered."""

NUMBERS = _listed(
    "number num numb nbr nr nro no n nummer numero numer nomer cislo broj kennnummer identifikationsnummer номер # "
    "番号 编号 編號 号 號 번호"
)
"""Which also count, as in ``num_visits``."""

KEYS = _listed("key code ref index idx codigo codice kod kode cle clave chiave schluessel schlussel nyckel код")
"""Which number people and records, and name the categories of anything else."""

NATIONAL = _listed(
    "ssn nhs mrn nhi passport iban pnr personnr cpr bsn nif nie dni cpf cnpj curp pesel snils nir amka oib jmbg "
    "matricule matricola matricula matrikel aadhaar nric nino nhsno ppsn cnp ahv avs oasi imei kimlik "
    "username login docket aktenzeichen vorgangsnummer hkid pid sid cid eid hid rid gid oid iid hhidpn личный"
)
"""Numbers that states, schools and hospitals give to people, and short names that tables of people use."""

NATIONAL_STEMS = (
    "personnummer", "personalnummer", "personennummer", "codicefiscale", "matrikelnummer", "sozialversicherung",
    "steuernummer", "steuerid", "fodselsnummer", "fødselsnummer", "henkilotunnus", "rodnecislo", "socialsecurity",
    "kimlikno", "身份证", "身分證", "学号", "學號", "主민등록", "주민등록",
)  # fmt: skip
"""The same, of several words that are also written as one."""

# Words that end as identifiers do and are none. Below: endings of such in chemistry, German, Dutch and Swedish.
NO_ID = _listed(
    "valid invalid paid unpaid prepaid overpaid repaid said acid solid liquid fluid rapid arid avid covid grid hybrid "
    "humid kid lid mid maid bid raid amid aid laid void avoid candid splendid stupid timid tepid orchid pyramid "
    "placid lucid rigid frigid turgid squid druid vivid livid morbid sordid lipid peptid did skid slid eyelid "
    "medicaid david madrid plasmid afraid braid cupid fetid florid hominid horrid insipid intrepid lurid putrid "
    "torrid antacid inlaid outbid plaid pallid staid stolid underpaid euclid"
)
NO_ID_ENDINGS = ("oid", "stid", "itid", "ltid", "rtid", "heid", "beid", "zid", "xid", "rid", "leid", "neid")
NO_IDENT = _listed(
    "president resident incident accident evident confident coincident trident dissident provident occident strident"
)

CODES = _listed("id type kind class category group grade status nr nbr no region zip") | KEYS - _listed("index idx")
LONG_CODES = _listed(
    "code codes zip zipcode postcode postal plz cap icd atc nace isco isic naics cpt drg diagnosis diag diagnose dx "
    "hauptdiagnose nebendiagnose diagnostico procedure sku"
)
CODE_SYSTEMS = _listed("icd icd9 icd10 atc nace isco isic naics cpt drg")

COUNTS = _listed(
    "count counts times time visits days weeks months years hours minutes age size amount total anzahl cantidad antal "
    "aantal liczba pocet"
)
COUNTING = NUMBERS | _listed("nb nombre")
"""Which count where what follows is many, as in ``nombre_enfants``."""

PERSONAL = _listed(
    "surname forename firstname lastname fullname nickname maidenname email mail phone telephone mobile cellphone fax "
    "telefon telefono handy telefoon adresse address direccion endereco indirizzo adres street strasse rue calle "
    "vorname nachname familienname prenom apellido apellidos sobrenome cognome achternaam voornaam efternamn fornamn "
    "imie nazwisko jmeno prijmeni имя фамилия отчество адрес телефон soyad 氏名 姓名 名前 住所 電話"
)
NAMES = _listed("name names nom nombre nome naam namn navn nimi nazwa ad adi isim имена")

LINKING = _listed("of de du des da do del della der die das von van the d l")
"""Which are left out, so that ``numero de dossier`` is a number of a dossier."""

MISSING = _listed(
    "n na n/a n.a. k.a. ka none null nil nan unk unknown missing void dk ref inap nd ? ?? - -- \u2013 \u2014 . .. ... "
    "* x #n/a #div/0! #ref! #value! #name? #num! #null! #error!"
) | {"no answer", "not available", "not known", "no data", "not measured", "don't know", "keine angabe"}
"""Cells among numbers that say that there is none; the last are a spreadsheet's errors."""

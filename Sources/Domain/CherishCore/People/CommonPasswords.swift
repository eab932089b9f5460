import Foundation

/// The most common passwords, which rule 12.2 refuses, by their beginnings.
enum CommonPasswords {
    /// All words with their rank, built once.
    static let tree: WordTree = {
        var tree = WordTree()
        for (index, word) in listed.enumerated() {
            tree.insert(word.unicodeScalars.map(\.value), rank: index + 1)
        }
        for word in ownWords.split(separator: " ") {
            tree.insert(word.unicodeScalars.map(\.value), rank: ownRank)
        }
        return tree
    }()

    /// The words of the list, the most common first.
    static var listed: [Substring] { list.split(whereSeparator: \.isWhitespace) }

    /// How common our own words are taken to be.
    private static let ownRank = 100

    /// Our own addition, since the list hardly knows Korean: "password", "love", "hello", "Korea", the beginning of the
    /// alphabet and of the keyboard, also as typed with a keyboard that is switched to English; and this service.
    private static let ownWords = """
        비밀번호 사랑해 사랑해요 안녕하세요 대한민국 가나다라 가나다라마바사 ㄱㄴㄷㄹ ㅁㄴㅇㄹ ㅂㅈㄷㄱ \
        qlalfqjsgh tkfkdgo tkfkdgody dkssud dkssudgktpdy eogksalsrnr cherish
        """
}

/// Words by their beginnings, so that one walk finds all words that begin at one place of a text.
struct WordTree: Sendable {
    fileprivate struct Node {
        let scalar: UInt32
        var isWord = false
        /// Of the rank of the most common word that begins so.
        var logarithm: Double
        /// The first node of those that go on; 0 for none, since no node goes on with the root.
        var child = 0
        /// The next node that goes on from the same beginning; 0 for none.
        var sibling = 0
        /// The ``mark(of:)`` of all children, so that most searches end before they begin.
        var marks: UInt64 = 0
    }

    /// The number of symbols of the longest word.
    private(set) var longest = 0
    /// The first is the root.
    fileprivate private(set) var nodes = [Node(scalar: 0, logarithm: 0)]
    /// The children of the root for ASCII, since every walk begins there and the root has the most.
    private var roots = [Int](repeating: 0, count: 128)

    /// Adds a word.
    ///
    /// - Parameter rank: 1 for the most common; several words may have the same.
    mutating func insert(_ word: [UInt32], rank: Int) {
        let logarithm = log10(Double(rank))
        var node = 0
        for scalar in word {
            let next = child(of: node, with: scalar).node
            if next == 0 {
                nodes.append(Node(scalar: scalar, logarithm: logarithm))
                append(nodes.count - 1, to: node)
                node = nodes.count - 1
            } else {
                nodes[next].logarithm = min(nodes[next].logarithm, logarithm)
                node = next
            }
        }
        nodes[node].isWord = true
        longest = max(longest, word.count)
    }

    /// Appends a node as the last child, so that children of common words are found first.
    private mutating func append(_ new: Int, to parent: Int) {
        nodes[parent].marks |= WordTree.mark(of: nodes[new].scalar)
        if parent == 0, nodes[new].scalar < 128 { roots[Int(nodes[new].scalar)] = new }
        guard nodes[parent].child != 0 else { return nodes[parent].child = new }
        var last = nodes[parent].child
        while nodes[last].sibling != 0 { last = nodes[last].sibling }
        nodes[last].sibling = new
    }

    func contains(_ word: [UInt32]) -> Bool {
        var node = 0
        for scalar in word {
            node = child(of: node, with: scalar).node
            if node == 0 { return false }
        }
        return nodes[node].isWord
    }

    /// One bit, which is another one for each letter a–z and digit 0–9: their remainders by 39 differ.
    private static func mark(of scalar: UInt32) -> UInt64 { 1 << UInt64(scalar % 39) }

    /// The child with a scalar, or 0, and the number of nodes looked at.
    fileprivate func child(of parent: Int, with scalar: UInt32) -> (node: Int, steps: Int) {
        if parent == 0, scalar < 128 { return (roots[Int(scalar)], 1) }
        guard nodes[parent].marks & WordTree.mark(of: scalar) != 0 else { return (0, 1) }
        var node = nodes[parent].child
        var steps = 1
        while node != 0, nodes[node].scalar != scalar {
            node = nodes[node].sibling
            steps += 1
        }
        return (node, steps)
    }
}

/// Finds the words of a tree in a text, also with capitals and with signs for letters.
struct WordWalk {
    /// A beginning of a word, found in a text.
    struct Match {
        /// The index after its last symbol.
        let end: Int
        /// The power of ten that is the rank of the most common word that begins so; 0 for the most common of all.
        let logarithm: Double
        /// Whether the beginning is a word itself.
        let isWhole: Bool
        /// How often the case changes, beginning with lower case, plus the number of signs that stand for letters.
        let disguises: Int
    }

    /// Where a walk has come to.
    private struct Place {
        var node: Int
        var position: Int
        var isCapital: Bool
        var disguises: Int
    }

    /// The letters that a sign may stand for, 0 for none, by the sign's number in ASCII; the table of zxcvbn.
    private static let disguised: [(first: UInt32, second: UInt32)] = {
        var table = [(first: UInt32, second: UInt32)](repeating: (0, 0), count: 128)
        let signs: [(letter: Unicode.Scalar, signs: String)] = [
            ("a", "4@"), ("b", "8"), ("c", "({[<"), ("e", "3"), ("g", "69"), ("i", "1!|"), ("l", "1|7"), ("o", "0"),
            ("s", "$5"), ("t", "+7"), ("x", "%"), ("z", "2"),
        ]
        for (letter, signs) in signs {
            for sign in signs.utf8 {
                let isFirst = table[Int(sign)].first == 0
                table[Int(sign)] = isFirst ? (letter.value, 0) : (table[Int(sign)].first, letter.value)
            }
        }
        return table
    }()

    private let tree: WordTree
    private let symbols: [FoldedPassword.Symbol]
    private let disguised = WordWalk.disguised
    /// All beginnings of words that begin where the last walk began.
    private(set) var matches: [Match] = []
    /// The number of nodes that all walks looked at.
    private(set) var steps = 0

    init(_ tree: WordTree, _ symbols: [FoldedPassword.Symbol]) {
        self.tree = tree
        self.symbols = symbols
    }

    /// Walks from a place of the text, as far as there are words.
    mutating func begin(at start: Int) {
        matches.removeAll(keepingCapacity: true)
        goOn(from: Place(node: 0, position: start, isCapital: false, disguises: 0))
    }

    /// No deeper than the longest word.
    private mutating func goOn(from place: Place) {
        guard place.position < symbols.count, tree.nodes[place.node].child != 0 else { return }
        let symbol = symbols[place.position]
        var next = place
        next.position += 1
        // Digits and signs keep the case of the letters around them.
        next.isCapital = symbol.kind == .capital || (place.isCapital && symbol.kind != .small)
        if next.isCapital != place.isCapital { next.disguises += 1 }
        follow(symbol.scalar, to: next)
        guard symbol.isDecoration, symbol.scalar < 128 else { return }
        next.disguises += 1
        let letters = disguised[Int(symbol.scalar)]
        if letters.first != 0 { follow(letters.first, to: next) }
        if letters.second != 0 { follow(letters.second, to: next) }
    }

    /// - Parameter next: The place after the scalar, but still with the node before it.
    private mutating func follow(_ scalar: UInt32, to next: Place) {
        let (node, looked) = tree.child(of: next.node, with: scalar)
        steps += looked
        guard node != 0 else { return }
        var next = next
        next.node = node
        matches.append(
            Match(
                end: next.position, logarithm: tree.nodes[node].logarithm, isWhole: tree.nodes[node].isWord,
                disguises: next.disguises))
        goOn(from: next)
    }
}

extension CommonPasswords {
    /// 10,000 words in lower case, the most common first.
    ///
    /// Source: `frequency_lists.py` of the Python package zxcvbn 4.5.0 (https://pypi.org/project/zxcvbn), the list
    /// `passwords`, which Dan Wheeler made for Dropbox's zxcvbn from published leaks. People choose such words, so some
    /// are obscene.
    ///
    /// Chosen: the first 10,000 in the list's order, without those that are an earlier word of it with digits or
    /// special characters around, since the rule takes these away. One literal compiles in no time, unlike an array of
    /// 10,000.
    ///
    /// MIT License. Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc. Copyright (c) 2016 Daniel Wolf.
    ///
    /// Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
    /// documentation files (the "Software"), to deal in the Software without restriction, including without limitation
    /// the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and
    /// to permit persons to whom the Software is furnished to do so, subject to the following conditions: The above
    /// copyright notice and this permission notice shall be included in all copies or substantial portions of the
    /// Software. The software is provided "as is", without warranty of any kind, express or implied, including but not
    /// limited to the warranties of merchantability, fitness for a particular purpose and noninfringement. In no event
    /// shall the authors or copyright holders be liable for any claim, damages or other liability, whether in an action
    /// of contract, tort or otherwise, arising from, out of or in connection with the software or the use or other
    /// dealings in the software.
    private static let list = """
        123456 password 12345678 qwerty 123456789 12345 1234 111111 1234567 dragon 123123 baseball abc123 football
        monkey letmein shadow master 696969 mustang 666666 qwertyuiop 123321 1234567890 pussy superman 654321 1qaz2wsx
        7777777 fuckyou qazwsx jordan 123qwe 000000 killer trustno1 hunter harley zxcvbnm asdfgh buster batman soccer
        tigger charlie sunshine iloveyou fuckme ranger hockey computer starwars asshole pepper klaster 112233 zxcvbn
        freedom princess maggie pass ginger 11111111 131313 fuck love cheese 159753 summer chelsea dallas biteme matrix
        yankees 6969 corvette austin access thunder merlin secret diamond hello hammer fucker 1234qwer silver gfhjkm
        internet samantha golfer scooter test orange cookie q1w2e3r4t5 maverick sparky phoenix mickey bigdog snoopy
        guitar whatever chicken camaro mercedes peanut ferrari falcon cowboy welcome sexy samsung steelers smokey dakota
        arsenal boomer eagles tigers marina nascar booboo gateway yellow porsche monster spider diablo hannah bulldog
        junior london purple compaq lakers iceman qwer1234 hardcore cowboys money banana ncc1701 boston tennis q1w2e3r4
        coffee scooby 123654 nikita yamaha mother barney brandy chester fuckoff oliver player forever rangers midnight
        chicago bigdaddy redsox angel badboy fender jasper slayer rabbit natasha marine bigdick wizard marlboro raiders
        prince casper fishing flower jasmine iwantu panties adidas winter winner gandalf enter ghbdtn 1q2w3e4r golden
        cocacola winston madison angels panther blowme sexsex bigtits spanky bitch sophie asdfasdf horny thx1138 toyota
        tiger dick canada 12344321 blowjob 8675309 muffin liverpoo apples passw0rd abcd1234 pokemon 123abc slipknot
        qazxsw 123456a scorpion qwaszx butter startrek rainbow asdfghjkl razz newyork redskins gemini cameron qazwsxedc
        florida liverpool turtle sierra viking booger butthead doctor rocket 159357 dolphins captain bandit jaguar
        packers pookie peaches 789456 asdf dolphin helpme blue theman maxwell qwertyui shithead lovers maddog giants
        nirvana metallic hotdog rosebud mountain warrior stupid elephant suckit success bond007 jackass alexis porn
        lucky scorpio samson q1w2e3 azerty rush2112 driver freddy 1q2w3e4r5t sydney gators dexter red123 123456q 12345a
        bubba creative voodoo golf trouble america nissan gunner garfield bullshit asdfghjk 5150 fucking apollo 2112
        eminem legend airborne bear beavis apple brooklyn godzilla skippy 4815162342 buddy qwert kitten magic shelby
        beaver phantom asdasd xavier braves darkness blink182 copper platinum qweqwe tomcat 01012011 girls bigboy 102030
        animal police online 11223344 voyager lifehack fish sniper 315475 trinity blazer heaven lover snowball playboy
        loveme bubbles hooters cricket willow donkey topgun nintendo saturn destiny pakistan pumpkin digital sergey
        redwings explorer tits private runner therock guinness lasvegas beatles 789456123 fire cassie christin celtic
        andrey broncos 007007 babygirl eclipse fluffy cartman michigan carolina testing alexande birdie pantera cherry
        vampire mexico dickhead buffalo genius montana beer minecraft maximus flyers lovely stalker metallica doggie
        snickers speedy bronco lol123 paradise yankee horses magnum dreams 147258369 lacrosse ou812 goober enigma
        qwertyu scotty pimpin bollocks surfer cock poohbear genesis star asd123 qweasdzxc racing hawaii eagle1 viper
        poopoo einstein boobies 12345q bitches drowssap simple badger alaska action jester drummer 111222 spitfire
        forest maryjane champion diesel svetlana friday hotrod 147258 chevy westside security google badass tester
        shorty thumper hitman mozart zaq12wsx boobs reddog 010203 lizard a123456 123456789a ruslan eagle 1232323q
        scarface 147852 a12345 buddha porno 420420 spirit stargate qwe123 naruto mercury liberty semperfi suzuki popcorn
        spooky marley scotland kitty cherokee vikings simpsons rascal qweasd hummer loveyou michael1 patches russia
        jupiter penguin passion cumshot vfhbyf honda vladimir sandman passport raider bastard 123789 infinity assman
        bulldogs fantasy sucker 1234554321 horney domino budlight disney ironman usuckballz1 softball brutus redrum
        bigred mnbvcxz fktrcfylh karina marines digger kawasaki cougar fireman oksana monday cunt justice nigger super
        wildcats tinker logitech dancer swordfis avalon everton alexandr motorola patriots hentai madonna ducati
        colorado connor juventus galore smooth freeuser warcraft boogie titanic wolverin elizabet arizona valentin
        saints asdfg accord christ yfnfif stinky slut spiderma naughty chopper ncc1701d extreme skyline poop zombie
        pearljam froggy awesome vision pirate fylhtq dreamer bullet predator empire 123123a kirill panthers penis
        skipper nemesis rasdzv3 peekaboo rolltide cardinal psycho danger mookie happy1 wanker chevelle manutd goblue
        9379992 hobbes vegeta fyfcnfcbz 852456 picard 159951 windows loverboy victory vfrcbv bambam serega 123654789
        turkey tweety galina hiphop rooster changeme berlin taurus suckme polina electric avatar 134679 maksim raptor
        alpha1 hendrix newport bigcock brazil spring a1b2c3 madmax alpha britney sublime darkside bigman wolfpack
        classic hercules ronaldo 1q2w3e 741852963 spiderman blizzard 123456789q cheyenne cjkysirj wombat pandora zxc123
        holiday wildcat devils horse alabama 147852369 caesar 12312 bondage pussycat pickle shaggy catch22 leather
        chronic a1b2c3d4 admin qqq111 qaz123 airplane kodiak freepass billybob sunset katana phpbb chocolat snowman
        stingray firebird wolves zeppelin detroit pontiac gundam panzer vagina outlaw redhead tarheels greenday nastya
        01011980 hardon engineer hellfire serenity cobra fireball lickme darkstar 1029384756 01011 flash 124578 strike
        beauty pavilion 01012000 bobafett dbrnjhbz bigmac bowling chris1 ytrewq natali pyramid rulez dodgers apache
        swimming whynot teens trooper fuckit defender precious 135790 packard weasel popeye lucifer cancer icecream
        142536 raven swordfish presario viktor rockstar blonde james1 wutang spike pimp atlanta airforce thailand casino
        lennon mouse 741852 hacker bluebird hawkeye 456123 theone catfish sailor goldfish nfnmzyf tattoo pervert barbie
        maxima nipples machine trucks wrangler rocks tornado lights cadillac bubble pegasus madman longhorn browns
        target 666999 eatme microsoft dilbert christia baller lesbian shooter xfiles seattle qazqaz cthutq amateur
        prelude corona freaky malibu assassin 246810 atlantis integra pussies iloveu lonewolf dragons unicorn software
        bobcat stealth peewee openup 753951 srinivas zaqwsx valentina shotgun trigger veronika bruins coyote babydoll
        joker dollar lestat rocky1 hottie random butterfly wordpass smiley sweety snake chipper woody samurai devildog
        gizmo maddie soso123aljg mistress flipper express hjvfirf moose cessna piglet polaris teacher montreal cookies
        wolfgang scully fatboy wicked balls tickle bunny dfvgbh foobar transam pepsi fetish oicu812 basketba toshiba
        hotstuff sunday booty gambit 31415926 impala stephani jessica1 hooker lancer knicks shamrock stinger 314159
        redneck deftones squirt siemens blaster trucker subaru renegade ibanez manson swinger reaper blondie mylove
        galaxy blahblah enterpri travel 1234abcd babylon5 indiana skeeter sugar ficken smoke bigone sweetpea fucked
        trfnthbyf marino escort smitty bigfoot babes larisa trumpet spartan valera babylon asdfghj bigboobs stormy
        mister hamlet aardvark butterfl marathon paladin cavalier manchester skater indigo hornet buckeyes 01011990
        indians karate hesoyam toronto diamonds chiefs buckeye 1qaz2wsx3edc highland hotsex charger redman passwor
        maiden drpepper storm pornstar garden 12345678910 pencil sherlock timber thuglife insane pizza jungle jesus1
        aragorn 1a2b3c hamster david1 triumph techno lollol pioneer catdog 321654 fktrctq morpheus 141627 pascal hobbit
        wetpussy erotic consumer blabla justme stones chrissy spartak goforit burger pitbull adgjmptw italia barcelona
        hunting colors kissme virgin overlord pebbles sundance emerald doggy racecar irina element 1478963 zipper alpine
        basket goddess poison nipple sakura chichi huskers 13579 pussys q12345 ultimate ncc1701e blackie nicola rommel
        matthew1 caserta omega geronimo sammy1 trojan 123qwe123 philips nugget tarzan chicks aleksandr bassman trixie
        portugal anakin dodger bomber superfly madness q1w2e3r4t5y6 loser 123asd fatcat ybrbnf soldier warlock wrinkle1
        desire sexual babe seminole alejandr 951753 11235813 westham andrei concrete weed ladybug naked christop
        trombone tintin bluesky rhbcnbyf qazxswedc onelove cdtnkfyf whore vfvjxrf titans stallion truck hansolo smiles
        beagle panama kingkong flatron inferno mongoose connect poiuyt snatch qawsed juice blessed rocker snakes turbo
        bluemoon sex4me finger jamaica a1234567 mulder beetle passat immortal plastic 123454321 anthony1 whiskey
        dietcoke suck spunky monitor cactus exigen planet ripper teen spyder nolimit hollywoo sluts sticky trunks
        1234321 14789632 pickles sailing bonehead ghbdtnbr delta charlott rubber 911911 112358 molly1 yomama hongkong
        jumper william1 ilovesex faster unreal cumming memphis 1123581321 nylons legion sebastia shalom pentium geheim
        werewolf funtime ferret orion curious 555666 niners cantona sprite philly pirates abgrtyu lollipop eternity
        boeing sweets cooldude tottenha green1 jackoff stocking 7895123 moomoo martini biscuit drizzt colt45 fossil
        makaveli snapper satan666 maniac salmon patriot verbatim nasty shasta asdzxc shaved blackcat raistlin punkrock
        cjkywt 01012010 4128 waterloo crimson twister oxford musicman seinfeld biggie condor ravens megadeth wolfman
        cosmos sharks banshee keeper foxtrot gn56gn56 skywalke velvet black1 sesame dogs squirrel privet sunrise
        wolverine sucks legolas grendel ghost cats carrot frosty lvbnhbq blades stardust frog qazwsxed 121314 coolio
        brownie groovy twilight daytona vanhalen pikachu peanuts licker hershey jericho intrepid ninja 1234567a zaq123
        lobster goblin punisher strider shogun kansas amadeus seven7 jason1 neptune showtime muscle oldman ekaterina
        rfrfirf getsome showme 111222333 obiwan skittles danni tanker maestro tarheel anubis hannibal anal newlife
        gothic shark fighter blues 123456z princes slick chaos sabine 1q2w3e4r5t6y python mirage devil clover tequila
        surfing delete potato chubby panasonic sandiego portland baggins fusion sooners blackdog buttons californ moscow
        playtime mature 1a2b3c4d dagger dima stimpy gangster warriors iverson chargers byteme swallow liquid dingdong
        nymets cracker mushroom 456852 crusader bigguy miami dkflbvbh bugger nimrod tazman stranger newpass doodle
        powder gotcha guardian dublin slapshot septembe 147896325 milano grizzly knights photos 2468 nookie charly
        rammstein brasil 123321123 scruffy munchkin poopie 123098 kittycat latino walnut 1701 thegame kolobok picasso
        robert1 barcelon bananas trance auburn coltrane eatshit goodluck starcraft wheels parrot postal blade wisdom
        pink gorilla katerina andrew1 shaney14 dumbass osiris fuck_inside oakland discover spanking lonestar bingo
        meridian ping heather1 dookie stonecol megaman 192837465 rjntyjr ledzep lowrider 25802580 richard1 firefly
        griffey racerx paradox ghjcnj gangsta zaq1xsw2 tacobell weezer sirius halflife buffett shiloh 123698745 vertigo
        sergei aliens sobaka keyboard kangaroo sinner 0.0.000 bonjour socrates chucky hotboy sprint 0007 sarah1 scarlet
        celica shazam formula1 sommer trebor qwerasdf jeep mailcreated5240 bollox fuckface rebels vacation lexmark
        penguins 12369874 ragnarok formula 258456 tempest vfhecz tacoma qwertz colombia flames rockon duck prodigy
        wookie dodgeram mustangs 123qaz sithlord smoker server bang incubus scoobydo oblivion molson kitkat titleist
        rescue zxcv1234 carpet 1122 bigballs tardis jimbob xanadu blueeyes shaman mersedes pooper golfing hearts mallard
        12312312 kenwood patrick1 dogg oracle 123zxc nuttertools 102938 topper 1122334455 shemale sleepy gremlin yourmom
        123987 printer monkeys peterpan mikey kingston cooler analsex jimbo pa55word asterix freckles birdman frank1
        defiant aussie stud blondes tatyana 445566 aspirine mariners jackal deadhead katrin anime rootbeer frogger polo
        hallo noodles thomas1 parola shaolin celine 11112222 plymouth creampie justdoit ohyeah fatass assfuck amazon
        1234567q kisses magnus camel nopass bosco 987456 6751520 putter champs massive spidey lightnin camelot letsgo
        gizmodo aezakmi bones caliente 12121 goodtime thankyou brucelee redalert aquarius 456654 catherin smokin pooh
        mypass astros roller porkchop sapphire kevin1 a1s2d3f4 beckham atomic rusty1 vanilla qazwsxedcrfv kaktus cxfcnmt
        blacky 753159 elvis1 aggies blackjac bangkok scream 123321q iforgot power1 kasper abc12 slappy shitty veritas
        chevrole amber1 01012001 vader amsterdam jammer primus spectrum eduard granny sasha1 clancy usa123 satan hitler
        avenger 1221 spankme simba smudge scrappy labrador john316 syracuse front242 falcons husker candyman commando
        gator pacman pancho krishna fatman clitoris pineappl lesbians 8j4ye3uz barkley vulcan punkin boner celtics
        monopoly flyboy romashka hamburg 123456aa lick gangbang 223344 area51 spartans aaa111 tricky snuggles drago
        homerun vectra homer1 hermes topcat cuddles infiniti 1234567890q cosworth goose ivanov bossman qawsedrf peugeot
        exigent doberman durango brandon1 plumber telefon horndog laguna rbhbkk dawg webmaster breeze beast beefcake
        leopard redbull oscar1 topdog godsmack theking pics speaker viktoria fuckers bowler starbuck gjkbyf valhalla
        anarchy blacks herbie kingpin starfish nokia loveit achilles 906090 labtec ncc1701a fitness brando bull kicker
        napass desert sailboat bohica tractor hidden muppet jackson1 jimmy1 terminator phillies pa55w0rd terror farside
        swingers legacy frontier butthole doughboy jrcfyf tuesday sabbath daniel1 nebraska homers qwertyuio azamat
        fallen agent007 striker camels iguana looker pinkfloy moloko dannyboy luckydog 789654 pistol whocares charmed
        skiing select franky puppy daniil vladik vette vfrcbvrf ihateyou nevada moneys vkontakte mandingo puppies 666777
        mystic zidane kotenok dilligaf budman bunghole zvezda 123457 triton golfball technics trojans panda laptop
        rookie 01011991 15426378 aberdeen gustav jethro enterprise igor stripper filter hurrican rfnthbyf lespaul butch
        132435 dthjybrf 1366613 excalibu 963852 nofear momoney possum cutter oilers moocow cupcake gbpltw splash svetik
        soleil bogdan melissa1 vipers babyboy tdutybq lancelot ccbill keystone passwort flamingo firefox dogman vortex
        rebel noodle zaphod killme coolman danila designer skinny kamikaze deadman gopher doobie warhammer deeznuts
        freaks engage steve1 poncho hammers azsxdc dracula 000007 sassy boots deskjet 12332 macdaddy mighty manchest
        sterlin casey1 meatball mailman sinatra cthulhu bubbas cartoon bicycle eatpussy truelove sentinel tolkien breast
        capone lickit summit 123456k peter1 daisy1 123456789z crazy1 jamesbon texas1 sexygirl 362436 sonic billyboy
        redhot microsof microlab daddy1 rockets iloveyo fernand gordon24 danie cutlass polska titties pantyhos 01011985
        thekid aikido gofish mayday 1234qwe coke anfield sony lansing smut scotch sexx catman 73501505 hustler saun
        dfkthbz jenny1 azsxdcfv cheers irish1 gabrie tinman orioles 1225 charlton fortuna 01011970 airbus rustam xtreme
        bigmoney zxcasd retard grumpy huskies boxing kelly1 ultima warlord fordf150 oranges rotten asdfjkl superstar
        denali sultan bikini saratoga thor figaro sixers wildfire vladislav 128500 sparta mayhem greenbay chewie music1
        number1 cancun fabie mellon poiuytrewq cloud9 crunch bigtime piccolo bigbird 321654987 billy1 mojo 01011981
        maradona sandro bizkit rjirfrgbde 789123 rightnow hyperion treasure meatloaf armani rovers jarhead 01011986
        cruise coconut dragoon utopia davids cosmo rfhbyf reebok 1066 charli giorgi sticks sayang exodus anaconda zaqxsw
        illini woofwoof emily1 sandy1 packer poontang govols jedi tomato beaner cooter creamy lionking happy123 albatros
        poodle kenworth dinosaur greens goku happyday eeyore tsunami cabbage holyshit memorex chaser bogart orgasm
        tommy1 volley whisper knopka ericsson walleye 321123 katie1 chickens tyler1 corrado twisted 100000 zorro clemson
        zxcasdqwe tootsie milana zenith fktrcfylhf shania frisco polniypizdec0211 crazybab junebug fugazi rereirf vfvekz
        1001 sausage vfczyz koshka clapton justin1 anhyeuem condom fubar hardrock skywalker tundra cocks gringo 150781
        canon vitalik aspire stocks applepie abc12345 arjay boob pillow sparkle gmoney rockhard samiam everest hellyeah
        bigsexy skorpion rfrnec hedgehog australi candle slacker dicks voyeur jazzman bobby1 br0d3r wolfie vfksirf
        1qa2ws3ed 13243546 fright yosemite temp karolina fart barsik surf cheetah baddog deniska starship bootie milena
        hithere kume greatone dildo 50cent 0.0.0.000 albion amanda1 midget lion maxell cyclone freeporn nikola bonsai
        kenshin slider balloon roadkill killbill 222333 jerkoff 78945612 dinamo tekken rambler goliath cinnamon malaka
        backdoor fiesta rastaman fletch sojdlg123aljg stefano artemis calico nyjets damnit robotech duchess rctybz
        hooter keywest 18436572 hal9000 mechanic pingpong operator presto sword rasputin spank bristol faggot shado
        963852741 amsterda 321456 wibble carrera alibaba majestic ramses duster route66 trident clipper steeler wrestlin
        divine kipper gotohell kingfish passwords buttman pompey viagra spurs 332211 slutty lineage2 oleg macross pooter
        brian1 charles1 slave jokers yzerman swimmer ne1469 nwo4life solnce seamus lolipop pupsik ivanova matador 420247
        ktyjxrf subway cinder vermont pussie chico florian magick guiness allsop ghetto a123456789 typhoon dfkthf
        depeche skydive dammit seeker fuckthis crysis kcj9wx5n umbrella r2d2c3po 123123q snoopdog critter theboss ding
        162534 splinter kinky cyclops jayhawk 456321 caramel qwer123 underdog caveman onlyme grapes feather hotshot
        fuckher renault george1 sex123 pippen 000001 789987 floppy cunts megapass 1000 pornos usmc kickass great1
        quattro 135246 wassup helloo p0015123 nicole1 chivas shannon1 bullseye java fishes blackhaw jamesbond tunafish
        juggalo dkflbckfd 123789456 translator 122333 beanie alucard supersta magicman ashley1 cohiba xbox360 caligula
        12131415 facial 7753191 dfktynbyf cigars fang klingon bob123 safari looser 10203 deepthroat malina 200000
        tazmania gonzo goalie jacob1 monaco cruiser misfit vh5150 tommyboy yousuck sharky vfhufhbnf horizon absolut
        brighton 123456r death1 kungfu maxx forfun mamapapa budweise banker getmoney kostya bigbear vector fallout
        nudist gunners royals chainsaw scania trader blueboy walrus eastside kahuna steph 01011989 cypress champ
        undertaker ybrjkfq europa snowboar sabres moneyman chrisbln minime nipper groucho whitey viewsonic penthous
        wolf359 fabric flounder coolguy whitesox passme smegma skidoo thanatos fucku2 snapple dalejr mondeo thesims
        mybaby panasoni sinbad thecat topher frodo sneakers q123456 z1x2c3 alfa taylor1 ghjcnjnfr cat123 olivier cyber
        titanium 0420 jabroni dang hambone intruder holly1 gargoyle sadie1 static poseidon studly newcastl sexxxx poppy
        johannes danzig beastie musica buckshot sunnyday adonis bluedog bonkers 2128506 chrono compute spawn 01011988
        smelly wapbbs goldstar 778899 quantum pisces boomboom gunnar 1024 nike multiplelo custom motherlode westwood
        usnavy daewoo korn stereo sasuke sunflowe watcher dharma 555777 assholes babyblue marius walmart snoop starfire
        paintbal knickers aaliyah lokomotiv theend sapper rover erotica scanner racer zeus doogie bayern joshua1 newbie
        scott1 losers droopy outkast martin1 dodge1 wasser ufkbyf rjycnfynby thirteen 12345z 112211 hotred deejay
        hotpussy 192837 jessic philippe scout cubbies havefun magpie fghtkm avalanch pudding leonid harry1 cbr600 audia4
        bimmer fucku 01011984 idontknow vfvfgfgf 1357 aleksey builder 01011987 zerocool godfather mylife donuts allmine
        redfish 777888 sascha nitram bounce 333666 smokes 1x2zkg8w rodman stunner zxasqw12 hoosier hairy beretta insert
        123456s rtyuehe francesc tights micron quartz gegcbr searay jewels bogey paintball celeron padres bing
        syncmaster ziggy simon1 beaches prissy diehard mittens aleksandra queens 02071986 biggles thongs southpark artur
        twinkle gretzky rabota cambiami monalisa gollum chuckles gladiator whisky spongebob 03082006 mazafaka meathead
        4121 ou8122 barefoot 12345678q cfitymrf bigass a1s2d3 kosmos blessing titty clevelan terrapin johnboy maggot
        clarinet deeznutz 336699 stumpy stoney footbal traveler volvo bucket snapon pianoman hawkeyes futbol casanova
        tango goodboy scuba honey1 sexyman warthog mustard abc1234 nickel 10203040 meowmeow 1012 boricua prophet sauron
        12qwas reefer andromeda crystal1 90210 goofy loco lovesex triangle whatsup mellow bengals maste 01011910 123aaa
        sunshin smeghead hokies sting welder rambo cerberus rockford monke 1q2w3e4r5 goldwing gabriell buzzard crjhgbjy
        james007 rainman groove tiberius purdue hayabusa shou jagger diver zigzag poochie usarmy phish redwood redwing
        12345679 salamander abcd123 sputnik boobie ripple eternal 12qw34er thegreat allstar slinky gesperrt mishka
        whiskers pinhead overkill sweet1 rhfcjnrf montgom240 sersolution jamie1 starman proxy swords nikolay bacardi
        rasta badgirl rebecca1 wildman penny1 spaceman 1007 10101 logan1 hacked helmet windsor buffy1 runescape trapper
        123451 banane dbrnjh ripken 12345qwe frisky shun fester oasis lightning ib6ub9 cicero kool pony thedog 784512
        01011992 megatron illusion edward1 napster 11223 squash roadking woohoo 19411945 hoosiers 01091989 tracker
        bagira midway leavemealone br549 14725836 235689 menace rachel1 feng laser stoned realmadrid 787898 balloons
        tinkerbell 5551212 maria1 pobeda heineken sonics moonlight optimus comet orchid 02071982 jaybird kashmir
        12345678a chuang chunky peach mortgage rulezzz saleen chuckie zippy gsxr750 doghouse maxim reader shai buddah
        benfica chou salomon meister eraser blackbir bigmike starter pissing angus deluxe hardcock 135792468 mian
        seahawks godfathe bookworm gregor intel talisman blackjack babyface hawaiian dogfood zhong 01011975 sancho
        ludmila medusa mortimer 123456654321 roadrunn just4me stalin 01011993 handyman alphabet pizzas calgary clouds
        cgfhnfr f**k cubswin gong lexus max123 xxx123 7779311 missy1 michae beautifu 1005 pacers buddie chinook heckfy
        dutchess sally1 breasts beowulf darkman jenn tiffany1 zhei quan satana shang idontkno smiths puddin teddybea
        valkyrie passwd chao boxster killers yoda cheater inuyasha wareagle foryou dragonball mermaid bhbirf teddy1
        misty1 delphi gromit sponge qazzaq fytxrf gameover diao sergi beamer beemer kittykat rancid manowar adam12
        diggler assword wishbone gonavy fisting thedude sinister 1213 venera novell salsero jayden linda1 vedder
        02021987 redline lust jktymrf 02011985 dfcbkbq chrome gamecube titten cong bella1 leng 02081988 eureka bitchass
        147369 banner lakota 123321a mustafa preacher hotbox 02041986 z1x2c3v4 playstation 01011977 claymore electra
        checkers zheng qing armagedon 02051986 wrestle svoboda bulls nimbus alenka madina onetime aa123456 bartman
        02091987 silverad electron 12345t skylar rhtdtlrj gobucks johann 12011987 milkman 02101985 camper thunderb
        bigbutt jammin davide cheeks goaway lighter claudi thumbs pissoff ghostrider cocaine teng squall lotus hootie
        blackout doitnow subzero 02031986 02021988 pothead 123456qw skate 1369 peng antoni neng miao bcfields 1492
        marika 794613 musashi tulips nong piao chai ruan southpar 02061985 nude mandarin 654123 ninjas cannabis jetski
        xerxes zhuang kleopatra dickie bilbo pinky morgan1 1020 1017 dieter tottenham quest yfnfkmz dirtbike 1234567890a
        mango jackson5 ipswich iamgod 02011987 tdutybz modena qiao slippery bluefish samtron toon 111333 iscool 02091986
        petrov fuzzy zhou 1357924680 mollydog deng 02021986 1236987 pheonix zhun ghblehjr othello starcraf 000111
        sanfran a11111 cameltoe badman vasilisa jiang 1qaz2ws luan sveta 12qw12 akira chuai 369963 cheech beatle pickup
        paloma 01011983 caravan elizaveta gawker banzai pussey mullet seng bearcat flexible farscape borussia zhuai
        templar toolman yfcntymrf chloe1 xiang guai nuggets 02081984 mantis slim fyutkbyf thedoors 02081987 02061986
        123qq123 zappa fergie 7ugd5hip2j huai asdfzxcv sunflower pussyman deadpool bigtit 01011982 lassie skyler
        gatorade carpedie jockey mancity spectre 02021984 artemka reng 02031984 iomega jing moritz spice rhino spinner
        heater zhai hover talon grease qiong corleone ltybcrf tian hippie chimera ting alex123 02021985 corsair sonoma
        aaron1 xxxpass bacchus webmaste chuo xyz123 chrysler artem shei cosmic 01020304 deutsch gabriel1 123455 oceans
        987456321 binladen latinas a12345678 speedo buttercu 02081989 21031988 merlot millwall ceng kotaku jiong
        dragonba 2580 stonecold snuffy 01011999 02011986 hellos blaze slapper istanbul bonjovi babylove mazda bullfrog
        phoeni meng nomore 02061989 bobdylan capslock zaraza teddybear ntktajy myname rong wraith mets niao 02041984
        smokie chevrolet dialog gfhjkmgfhjkm dotcom vadim monarch athlon hamish pian liang coolness chui thoma ramones
        ciccio chippy eddie1 house1 ning marker cougars jackpot barbados reds pdtplf knockers cobalt amateurs dipshit
        napoli kilroy pulsar jayhawks daemon alexey weng shuang 9293709b13 shiner eldorado soulmate mclaren andromed
        duan 50spanks sexyboy dogshit 02021983 shuo kakashka syzygy 111111a yeahbaby qiang netscape fulham 120676 gooner
        zhui laurent dog123 halifax freeway carlitos 147963 eastwood microphone 1123 persik coldbeer geng nuan danny1
        fgtkmcby entropy gadget just4fun sophi baggio carlito 1234567891 02021989 02041983 specialk piramida suan
        bigblue salasana hopeful mephisto bailey1 hack annie1 generic violetta spencer1 arcadia 02051983 hondas 9562876
        trainer jones1 smashing liao 159632 iceberg snooker zang matteo fastball q2w3e4r5 bamboo fuckyo shutup astro
        buddyboy nikitos redbird maxxxx shitface 02031987 kuai kissmyass sahara radiohea wildcard patric plasma heynow
        bruno1 shao bigfish misfits sheng 02011988 02081986 testpass nanook cygnus licking slavik pringles xing 1022
        submit dundee tiburon pinkfloyd yummy shuai guang chopin obelix insomnia stroker 1a2s3d4f 1223 lazarus jorda
        homerj sleeper 02041982 darklord cang 02041988 02041987 tripod magician jelly telephon 15975 vsjasnel12 pasword
        pavlov homeboy gamecock amigo brodie budapest yjdsqgfhjkm reckless 02011980 pang 2469 mason1 orient 01011979
        zong cdtnbr maksimka 1011 bushido taxman giorgio sphinx kazantip 02101984 concorde verizon lovebug georg sam123
        seadoo jiao jezebel pharmacy abnormal jellybea maxime puffy islander bunnies jiggaman drakon 010180 pluto
        zhjckfd 12365 classics crusher mordor hooligan strawberry 02081985 scrabble 1224 wg8e3wjf cthtuf premium arrow
        123456qwe ramrod tootie rhjrjlbk 1211 bounty niang 02071984 goat sweetnes masamune 426hemi corolla mariposa
        hjccbz doomsday bummer zhao bird33 excalibur samsun kirsty buttfuck kfhbcf zhuo marcello ozzy 02021982 dynamite
        655321 123465 lollypop stepan 1qa2ws spiker goirish callum michael2 moonbeam attila henry1 lindros andrea1
        sporty lantern 12365478 nextel violin volcom 998877 water1 imation inspiron dynamo citadel placebo clowns tiao
        02061988 tripper dabears haggis 02031985 anthrax amerika iloveme vsegda burrito bombers snowboard forsaken
        katarina a1a2a3 woofer fullmoon spock sexxxy sausages stanislav cobain robotics exotic green123 mobydick
        senators pumpkins fergus asddsa 147741 258852 windsurf reddevil vfitymrf nevermind nang woodland 4417 mick shui
        q1q2q3 wingman 69696 superb zuan ganesh pecker zephyr anastasiya icu812 larry1 02081982 broker zalupa mihail
        vfibyf dogger 7007 paddle varvara schalke 1z2x3c presiden tuning poopy 02051982 concord vanguard stiffy rjhjktdf
        felix1 wrench firewall boxer popper 02011984 temppass gobears cuan tipper kamila thong puss bigcat 02031982
        sowhat digimon rang jingle bian uranus soprano mandy1 dusty1 fandango aloha postman 02061980 dogcat bombay
        onetwo highheel pippo julie1 laura1 pepito beng stylus stratus reload duckie karen1 225588 369258 krusty snappy
        electro 111qqq kuang fishin clit abstr christma qqqqq1 1234560 carnage guyver boxers kittens zeng 1000000
        toaster cramps yugioh 02061987 icehouse pineapple namaste harrypotter mygirl earnhard spikes nutmeg 01081989
        dogboy 02091983 369852 softail mypassword prowler bigboss 1112 harvest heng jubilee killjoy basset keng
        zaqxswcde biao titan robot wifey kidrock 02101987 gameboy enrico 1z2x3c4v arrows havana banger chriss 123qw
        platypus cindy1 lumber pinball foxy 1023 05051987 02041985 superma longbow radiohead nigga 12051988 spongebo
        abrakadabra 02101989 chillin niceguy pistons hookup santafe bigben jets 1013 mankind viktoriya beardog 02071980
        reddwarf magelan longjohn jennife gilles carmex2 02071987 stasik bumper doofus slamdunk pixies garion steffi
        alessandro beerman niceass honolulu 134679852 visa johndeer windmill boozer oatmeal aptiva busty delight tasty
        bergkamp badgers guitars puffin 02091981 nikki1 irishman miller1 zildjian 123000 airwolf magnet anai install
        02041981 02061983 astra romans megan1 mudvayne freebird muscles dogbert 02091980 02091984 snowflak 01011900 mang
        joseph1 nygiants playstat vjcrdf qwer12 webhompas giraffe pelican jefferso comanche bruiser monkeybo kjkszpj
        123456l micro albany 02051987 epsilon aladin death666 hounddog josephin altima chilly 02071988 78945 ultra
        02041979 gasman thisisit pavel idunno kimmie 05051985 paulie ballin medion moondog manolo pallmall climber
        fishbone 153624 toffee tbone clippers krypton jerry1 picturs compass 111111q 02051988 1121 02081977 sairam
        getout 333777 cobras 22041987 bigblock severin booster norwich whiteout ctrhtn 123456m 02061984 hewlett shocker
        fuckinside 02031981 chase1 white1 versace 123456789s basebal bluebell 08031986 anthon stubby foreve undertak
        werder saiyan mama123 medic chipmunk mike123 mazdarx7 qwe123qwe bowwow kjrjvjnbd celeb choochoo demo lovelife
        02051984 colnago lithium 02051989 15051981 zzzxxx welcom anastasi fidelio franc 26061987 roadster stone55
        drifter hookem hellboy 1234qw cbr900rr sinned good123654 gypsy zebra zachary1 toejam buceta 02021979 redfox
        lineage mike1 highbury koroleva nathan1 washingt 02061982 02091985 vintage redbaron dalshe mykids 11051987
        macbeth julien james123 krasotka 111000 10011986 987123 pipeline tatarin sensei codered komodo frogman
        7894561230 juicy 01031988 redrose mydick pigeon tkbpfdtnf smirnoff 1215 spam flyfish moskva 81fukkc 21031987
        olesya starligh 13041988 fishhead freesex 06061986 azazel scoobydoo 02021981 cabron yogibear sheba1 konstantin
        tranny chilli terminat ghbywtccf slowhand fuckhead 1002 seagull achtung blam bigbob bdsm nostromo survivor
        cnfybckfd lemonade rober irinka cocksuck itsme zodiac upyours dinara 135791 sunny1 chiara johnson1 02041989
        solitude habibi sushi markiz rockies catwoman johnny1 bearcats username 01011978 wanderer ohshit 02101986 sigma
        stephen1 paradigm 02011989 flanker sanity jsbach spotty bologna fantasia chevys borabora cocker 74108520 123ewq
        12021988 01061990 gtnhjdbx 02071981 01011960 sundevil 3000gt gagging maggi armstron yfnfkb 13041987 revolver
        02021976 madcat jeremy1 volkswag 30051985 corndog pool6123 03041991 piggy sissy 02031979 sunfire angelus undead
        24061986 14061991 wildbill shinobi 45m2do5bs 123qwer 21011989 cleopatr lasvega hornets amorcit 11081989 coventry
        destin sidekick 20061988 02081983 gbhfvblf sneaky bmw325 22021989 nfytxrf sekret kalina zanzibar hotone qazws
        wasabi heidi1 highlander hitachi paolo 23041987 02011981 tinkerbe kieran 01121986 172839 boiler 1125 bluesman
        waffle threesom conan 1102 reflex 18011987 nautilus everlast fatty 01071986 cyborg birddog rubble 02071983
        suckers 02021973 skyhawk 12qw12qw joebob woodie longdong lamer troll ghjcnjgfhjkm 420000 boating nitro armada
        messiah 1031 02091989 americ 02071989 redeye asdqwe123 07071987 monty1 goten spikey sonata 635241 tokiohotel
        sonyericsson citroen 1812 umpire belmont jonny nudes palmtree 14111986 fenway bighead razor gryphon andyod22
        aaaaa1 taco 10031988 enterme malachi dogface reptile 01041985 dindom handball marseille candy1 19101987 torino
        tigge matthias viewsoni 13031987 stinker evangelion 24011985 123456123 rampage sandrine 02081980 thecrow astral
        28041987 sprinter seabee shibby 02101988 25081988 fearless junkie 01091987 aramis antelope draven eggman
        02021990 barselona 19061987 fyfnjkbq nancy1 12121990 10071987 sluggo kille hotties irishka shamus fairlane
        honeybee 13061986 fantomas 17051988 10051987 20111986 gladiato karachi gambler gordo 01011995 biatch matthe
        25800852 papito excite bobdole cheshire 28021992 thewho 10101986 mentor tomahawk brown1 03041986 bismillah
        bigpoppa ijrjkfl 01121988 runaway 08121986 skibum studman helper squeak holycow manfred harlem glock gideon
        987321 14021985 margarit medved sf49ers lambda pasadena johngalt quasar 1776 02031980 coldplay amand playa
        bigpimp 04041991 capricorn elefant sweetness bruce1 luca dominik 10011990 biker 09051945 datsun elcamino
        trinitro malice audi 02101983 joe123 carpente mario1 glamour diaper 12121985 22011988 asimov callisto nikolai
        pebble 02101981 vendetta david123 boytoy 11061985 02031989 cayman zippo yamahar1 wildwood foxylady calibra
        02041980 27061988 dungeon leedsutd 30041986 11051990 bestbuy antares dominion 24680 01061986 skillet enforcer
        derparol 01041988 196969 29071983 f00tball mingus 25031987 21031990 remingto giggles klaste 3x7pxr 01011994
        coolcat 29051989 megane 20031987 02051980 04041988 synergy 0000007 macman iforget adgjmp vjqgfhjkm 28011987
        rfvfcenhf 16051989 25121987 16051987 rogue mamamia 08051990 20091991 1210 carnival bolitas paris1 dmitriy dimas
        05051989 papillon knuckles 29011985 hola tophat 28021990 100500 cutiepie devo 415263 ducks ghjuhfvvf asdqwe
        22021986 freefall parol 02011983 zarina buste vitamin warez bigones 17061988 baritone jamess twiggy mischief
        bitchy hetfield 1003 dontknow grinch sasha_007 18061990 12031985 12031987 calimero 224466 letmei 15011987
        acmilan alexandre 02031977 08081988 whiteboy 21051991 02071978 18091985 bigdawg 02031988 cygnusx1 zoloto
        31011987 firefigh blowfish screamer lfybbk 20051988 chelse 11121986 01031989 harddick sexylady 30031988 02041974
        auditt pizdec kojak kfgjxrf 20091988 123456ru wp2003wp 1204 15051990 slugger kordell1 03031986 swinging 01011974
        02071979 rockie dimples 1234123 trucking rusty2 roger1 marijuana kerouac 02051978 08031985 paco thecure keepout
        kernel noname123 13121985 francisc bozo 02011982 22071986 02101979 obsidian 12345qw spud tabasco 02051985
        jaguars dfktynby kokomo popova notused sevens 4200 magneto 02051976 roswell 15101986 21101986 lakeside bigbang
        aspen little1 14021986 loki suckmydick strawber carlos1 nokian73 dirty1 joshu 25091987 16121987 02041975 advent
        17011987 slimshady whistler 10101990 stryker 22031984 15021985 01031985 blueball 26031988 ksusha bahamut robocop
        w_pass chris123 impreza prozac bookie bricks 13021990 alice1 cassandr 11111q john123 4ever korova 02051973
        142857 25041988 paramedi salope 07091990 1124 darkangel 23021986 999666 nomad 02051981 smackdow 01021990 yoyoma
        argentin moonligh bootys hardone capricor galant spanker dkflbr 24111989 magpies krolik 21051988 cevthrb cheddar
        22041988 bigbooty qwedsa duffman bukkake acura johncena sexxy p@ssw0rd 258369 cherries 12345s asgard leopold
        mopar lalakers dogpound crusty spanner kestrel fenris universa peachy assasin lemmein eggplant hejsan canucks
        wendy1 aikman tupac turnip godlike fussball 19283746 april1 django petrova vincent1 ratman taekwondo chocha
        serpent perfect1 capetown vampir amore gymnast timeout nbvjatq ksenia k.lvbkf nazgul budweiser clutch mariya
        sylveste 02051972 beaker q11111 sexxx marseill magellan vehpbr sexgod jktxrf 132456 southpaw seneca camden
        357159 camero tenchi johndoe 145236 roofer 741963 vlad 02041978 fktyrf zxcv123 wingnut wolfpac notebook
        pufunga7782 goodgirl redhat 02031978 challeng millenium hoops maveric noname gaell onion olympus sabrina1 ricard
        sixpack gratis gagged camaross hotgirls flasher 02051977 goldfing moonshin gerrard volkov sonyfuck mandrake
        258963 tracer asians susan1 helmut boater 1234zxcv dogwood happy2 randy1 aries beach1 marcius2 navigator goodie
        hellokitty fkbyjxrf earthlink lookout jumbo opendoor stanley1 marie1 12345m 07071977 ashle wormix murzik
        02081976 lakewood bluejays loveya commande peppe 01011976 7896321 goth oreo slammer rasmus faith1 knight1 stone1
        redskin ironmaiden gotmilk dejavu midnite timosha espresso delfin toriamos oberon ceasar markie 1a2s3d
        ghhh47hj7649 vjkjrj daddyo dougie disco auggie lekker ou8123 start1 noway p4ssw0rd 333444 saigon 2fast4u capecod
        qazxcv beater bremen aaasss roadrunner peace1 12345qwer 02071975 platon bordeaux vbkfirf 135798642 supernov
        optimist vanessa1 ilovegod nightwish alchemy bimbo gsxr1000 richar hattrick hott solaris proton nevets enternow
        amigos 159357a ambers lenochka 147896 suckdick shag intercourse spiral 02061977 tosser ilove 02031975 cowgirl
        canuck q2w3e4 munch spoons waterboy 123567 evgeniy savior zasada redcar mamacita terefon globus doggies
        htubcnhfwbz 1008 cuervo suslik azertyui limewire houston1 stratfor steaua coors stigmata derf klondike patrici
        marijuan hardball odyssey nineinch beezer sandr charon power123 a1234 vauxhall 875421 reggae boulder funstuff
        iriska krokodil rfntymrf sterva bball peeper m123456 toolbox cabernet sheepdog pigpen 02041977 holein1 lhfrjy
        banan dabomb natalie1 jennaj joecool funky steven1 ringo junio sammy123 qqqwww baltimor footjob geezer 357951
        mash4077 cashmone pancake monic grandam bongo yessir gocubs nastia vancouve barley watford ilikepie 02071976
        laddie 123456789m hairball toonarmy pimpdadd cvthnm hunte davinci lback firenze q1234567 bonanza elway7 daman
        strap azert wxcvbn afrika theforce 123456t idefix wolfen houdini scheisse default beech maserati 02061976
        sigmachi dylan1 bigdicks eskimo mizzou 02101976 riccardo egghead 111777 kronos ghbrjk jomama rfhnjirf rodeo
        dolemite cafc91 nittany pathfind mikael vqsablpzla purpl gabber modelsne myxworld hellsing punker rocknrol
        fishon 02041976 lolol twinkie tripleh cirrus redbone biggun allegro gthcbr smith1 wanking bootsy barry1 mohawk
        koolaid 5329 futurama samoht klizma 996633 lobo honeys 556677 zxasqw joemama javelin samm 223322 sandra1 flicks
        montag nataly 3006 tasha1 1235789 dogbone poker1 p0o9i8u7 goodday smoothie toocool max333 metroid archange
        vagabond billabon 22061941 tyson1 02031973 darkange skateboard evolutio morrowind wizards rockin cumslut
        plastics zaqwsxcde 5201314 doit outback bumble dominiqu persona nevermore alinka 02021971 forgetit sexo all4one
        c2h5oh petunia sheeba kenny1 elisabet aolsucks woodstoc pumper 02011975 fabio granada scrapper 123459 minimoni
        q123456789 breaker 1004 02091976 ncc74656 slimshad friendster wiseguy donner 132465 blackbird buffet jellybean
        barfly behappy 01011971 carebear fireblad 02051975 boxcar cheeky kiteboy elvisp opennow doktor alex12 02101977
        pornking flamengo 02091975 snowbird lonesome robin1 11111a baracuda bleach 12345abc metall singapor mariner
        herewego dingo tycoon cubs blunts proview 123456789d kamasutra lagnaf vipergts navyseal starwar masterbate
        wildone peterbil cucumber butkus climax deniro gotribe cement harrier shodan newyear 02091977 romeo1 sedona
        harald doubled sasha123 bigguns salami awnyce kiwi homemade pimping azzer bradley1 warhamme linkin dudeman
        qwe321 pinnacle maxdog flipflop lfitymrf acidburn esquire sperma fellatio jeepster thedon sexybitch pookey
        spliff widget vfntvfnbrf mutant samuel1 meliss gohome 1q2q3q mercede comein grin cartoons paragon henrik
        rainyday pacino senna alleycat 12345qaz narnia tanya1 gianni wetter clovis escalade rainbows smart1 daisydog
        s123456 cocksucker pushkin lefty sambo fyutkjxtr hiziad boyz whiplash orchard newark adrenalin 1598753 bootsie
        chelle trustme chewy golfgti tuscl ambrosia 5wr2i7h8 penetration shonuf jughead payday stickman gotham kolokol
        johnny5 kolbasa stang puppydog charisma mone jakarta draco nightmar 01011973 inlove laetitia 02091973 tarpon
        nautica meadow 0192837465 luckyone 14881488 chessie goldeney tarakan bungle wordup interne 515000 dragonfl
        sprout 02081974 gerbil 02071971 melanie1 phialpha camber kathy1 adriano 10293847 bigjohn bismarck 7777777a
        scamper 12348765 rabbits 222777 bynthytn alexander1 mallorca dragster favorite6 beethove burner cooper1 fosters
        normandy 777999 sebring 1michael lauren1 blake1 killa 02091971 nounours playball xantia rugby1 rocknroll
        guillaum angela1 strelok prosper buttercup masterp dbnfkbr cambridg venom treefrog lumina 1234566 supra sexybabe
        freee shen frogs driller pavement grace1 dicky checker smackdown pandas cannibal asdffdsa zyjxrf nthvbyfnjh
        melrose neon jabber gamma 369258147 aprilia atticus benessere catcher azertyuiop sixty9 thierry treetop jello
        melons 123456789qwe tantra buzzer catnip bouncer sexyone ananas young1 olenka sexman mooses kittys sephiroth
        contra hallowee skylark sparkles 777333 1qazxsw23edc lucas1 q1w2e3r gofast hannes amethyst ploppy hotass amatory
        volleyba dixie1 bettyboo ticklish 02061974 frenchy murphy1 trustno 02061972 leinad mynameis spooge hyundai
        frosch junkmail abacab marbles 32167 casio wayne1 longhair caster snicker 02101973 gannibal skinhead hansol
        gatsby segblue2 montecar plato gumby kaboom matty 888999 jazzy panter jesus123 giulia candyass sex69 travis1
        farmboy special1 02041973 letsdoit allison1 abcdefg1 notredam ilikeit 789654123 rugger uptown alcatraz 123456w
        airman 007bond navajo kenobi terrier stayout grisha frankie1 fluff 1234561 virginie 1234568 werdna octopus
        fitter dfcbkbcf blacklab 115599 montrose allen1 supernova frederik ilovepussy radeon blubber sliver swoosh
        motocros lockdown pearls thebear istheman pinetree biit 1234rewq rustydog tampabay titts babycake jehovah
        streaming collie camil fidelity calvin1 stitch gatit restart budgie grunt capitals hiking dreamcas 321678
        riffraff makaka playmate napalm rollin amstel zxcvb123 samanth rumble jimmys 951357 pizzaman 1234567899 tralala
        delpiero alexi yamato itisme 1million vfndtq kahlua londo wonderboy carrots tazz ratboy rfgecnf 02081973 nico
        fujitsu tujhrf sergbest blobby 02051970 1357911 smirnov video1 panhead bucky 02031974 44332211 duffer cashmoney
        left4dead bagpuss salman 01011972 titfuck 66613666 england1 malish dresden lemans darina zapper 123456as
        123456qqq met2002 02041972 redstar 1234509876 pajero booyah please1 tetsuo semper finder hanuman sunlight
        123456n 02061971 treble cupoi dimitri 3ip76k2 lol12345 stellar nympho keith1 saskia bigtruck revoluti asd222
        feelgood phat gogators bismark cola puck furball burnout slonik bowtie mommy1 icecube fabienn mouser papamama
        rolex momdad iklo morten rhubarb gareth 123456d blitz r2d2 brest tigercat usmarine lilbit benny1 azrael lebowski
        12345r madagaskar begemot loverman dragonballz italiano onions cyrano capcom forlife fisherman weare138 requiem
        mufasa piercing hellas abracadabra duckman caracas macintos 02011971 crescent fduecn hogtied eatmenow ramjet
        18121812 kicksass whatthe discus rfhfvtkmrf rufus1 sqdwfe mantle vegitto trek dan123 rudeboy liliya lunchbox
        riversid acapulco libero dnsadm maison toomuch boobear hemlock sextoy pugsley misiek athome migue altoids marcin
        123450 rhfcfdbwf jeter2 rhinos rjhjkm ronaldinho shampoo makayla kamilla masterbating tennesse holger john1
        matchbox hores poptart parlament goodyear 02081970 hardwood alain erection hfytnrb highlife implants benjami
        dipper jeeper bendover supersonic babybear laserjet gotenks bama natedogg aol123 pokemo raduga sopranos cashflow
        menthol pharao hacking 334455 ghjcnbnenrf lizzy pooky flyer gramma dipset becca ireland1 diana1 donjuan pong
        alterego cbr900 logger 111555 claudia1 matisse ljxtymrf victori harle mamas encore mangos diamon alexxx tiamat
        5000 desktop mafia smurf princesa shojou blueberr welkom maximka 123890 123q123 tammy1 bobmarley clips demon666
        ismail termite missie altair donna1 bauhaus trinitron mogwai juniper boroda jingles qwerasdfzxcv shakur 777666
        legos mallrats goldeneye tamerlan julia1 backbone spleen 49ers shady darkone justi giggle cloudy aisan douche
        parkour bluejay redwine 1qw23er4 satchmo 1231234 nineball stewart1 ballsack probes kappa amiga dortmund 963258
        trigun 1237895 homepage blinky screwy gizzmo belkin chemist coolhand chachi thebest greedisgood pro100 101091m
        123456g wonderfu barefeet 8inches 1111qqqq kcchiefs metal1 jennifer1 xian pollux cheerleaers fruity turbos
        shopper photon espana hillbill oyster macaroni gigabyte jesper motown tuxedo triplex cyclones estrell mortis
        holla 456987 fiddle sapphic jurassic thebeast ghjcnjq baura karaoke nemrac58 02031970 flvbybcnhfnjh frisbee diva
        ajax feathers allday mierda pearl1 amature marauder 333555 redheads womans egorka godbless 159263 nimitz
        aaaa1111 sashka madcow socce greywolf baboon pimpdaddy 123456789r reloaded lancia rfhfylfi dicker placid grimace
        22446688 olemiss whores culinary wannabe maxi 1234567aa amelie riley1 trample baberuth bramble asdfqwer vides
        4you abc123456 taichi aztnm smother outsider hakr blackhawk bigblack girlie spook valeriya gianluca freedo
        1q2q3q4q handbag lavalamp cumm pertinant whatup redlight patrik 111aaa dfytxrf aviator sweeps kristin1 cypher
        elway yinyang poophead tucson noles1 monterey waterfal dank dougal 918273 suede minnesot legman bukowski ganja
        mammoth riverrat asswipe daredevi lian kamikadze alex1234 smile1 55bgates bellagio 0001 wanrltw stiletto lipton
        arsena biohazard bbking chappy tetris as123456 darthvad lilwayne nopassword 7412369 123456789987654321 natchez
        glitter 14785236 mytime rubicon moto pyon wazzup tbird shane1 nightowl getoff trueblue hotgirl nevermin
        deathnote 13131 taffy bigal copenhag apricot gallaries dtkjcbgtl totoro onlyone civicsi jesse1 baby123 festus
        abacus sickboy fishtank fungus charle golfpro teensex mario66 seaside aleksei rosewood blackberry 1020304050
        bedlam schumi deerhunt contour darkelf surveyor deltas pitchers 741258963 dipstick funny1 lizzard 112233445566
        softtail titman greenman z1x2c3v4b5 smartass 12345677 notnow myworld chewbacc nosferatu downhill kuan blazers
        whales soldat craving powerman yfcntyf hotrats cfvceyu qweasdzx feline qqwwee chitown 1234qaz mastermind 114477
        dingbat care1839 standby kismet atreides dogmeat icarus monkeyboy alex1 mouses nicetits sealteam crispy rrpass1
        myporn myspace1 corazo topolino ass123 lawman muffy orgy passord hooyah ekmzyf pretzel amonra nestle 01011950
        jimbeam happyman z12345 stonewal helios manunited harcore gaymen 2hot4u light1 kakashi pjkjnj alcatel taylo
        allah buddydog ltkmaby mongo blonds start123 audia6 123456v civilwar bellaco turtles mustan deadspin aaa123
        fynjirf tortoise amor summe waterski zulu drag0n dtxyjcnm gizmos strife interacial pusyy equinox matri tobydog
        sammys nachos traktor bryan1 morgoth 444555 dasani mashka xxxxxx1 ownage nightwin hotlips passmast cool123
        skolko eldiablo manu 1357908642 screwyou badabing foreplay hydro kubrick seductive demon1 comeon galileo aladdin
        metoo happines 902100 mizuno caddy bizzare redone ohmygod sable bonovox girlies hamper opus aaabbb pizzahut
        999888 rocky2 anton1 kikimora peavey ocelot a1a2a3a4 2wsx3edc jackie1 solace sprocket galary chuck1 shurik
        locutus virago wdtnjxtr tequier bisexual doodles makeitso fishy 789632145 nothing1 fishcake sentry libertad
        oaktree fivestar vegitta mississi spiffy carme neutron vantage agassi boners 123456789v hilltop taipan barrage
        kenneth1 fister martian willem lfybkf bluestar moonman ntktdbpjh paperino bikers daffy benji quake dragonfly
        suckcock danilka lapochka belinea calypso asshol abraxas mike1234 womam q1q2q3q4q5 youknow maxpower pic's sonora
        raymond1 tickler tadpole belair crazyman finalfantasy 999000 jonatha paisley kissmyas morgana monste mantra
        spunk jonesy mark1 alessand 741258 baddest ghbdtnrfrltkf zxccxz tictac augustin racers 7grout foxfire 99762000
        openit nathanie 1z2x3c4v5b seadog gangbanged lovehate hondacbr harpoon mamochka fisherma bismilla locust wally1
        saffron utjhubq 123456987 20spanks safeway pisser bdfyjd kristen1 magenta vfhujif anfisa qaz123wsx 0987654321q
        tyrant guan meggie kontol nurlan ayanami yaroslav websol76 mutley hugoboss websolutions elpaso gagarin badboys
        sephirot 918273645 newuser qian edcrfv 852258 lockout timoxa94 firedog sokolova skydiver jesus777 1234567890z
        soulfly canary malinka guillerm hookers dogfart osprey india123 rhjkbr stoppedby 123456789o werter divers 3000
        123456f alpina cali whoknows godspeed 986532 foreskin heyyou didier slapnuts fresno bears1 honeybun queen1
        baronn pakista philipp 9111961 topsecret 214365 slipper letsfuck godawgs mousey qw123456 scrotum loveis lighthou
        bp2002 nancy123 jeffrey1 susieq ralphie trout1 willi antonov sluttey rehbwf marty1 darian losangeles letme1n
        12345d pusssy godiva ender golfnut leonidas a1b2c3d4e5 puffer general1 wizzard lehjxrf bigbucks cool12 buddys
        zinger esprit vbienrf josep tickling froggie 987654321a 895623 daddys crumbs gucci mikkel opiate tracy1
        christophe came11 777555 petrovich humbug dirtydog allstate horatio wachtwoord creepers squirts rotary bigd
        georgia1 fujifilm 2sweet dasha yorkie slimjim wiccan kenzie system1 skunk b12345 getit pommes daredevil sugars
        bucker piston lionheart 515051 catfight recon icecold fantom vodafone kontakt boris1 vfcnth canine 01011961
        valleywa faraon chickenwing101 qq123456 livewire livelife roosters jeepers ilya1234 coochie pavlik dewalt
        dfhdfhf architec blackops 1qaz2wsx3edc4rfv rhfcjnf wsxedc teaser sebora 25252 ankara swifty decimal redleg
        shanno nermal candies smirnova photo1 ranetki a1s2d3f4g5 axio wertzu maurizio 6uldv8 zxcvasdf punkass flowe
        graywolf peddler 3rjs1la7qe mpegs seawolf ladyboy pianos piggies vixen alexus orpheus gdtrfb z123456 macgyver
        hugetits ralph1 flathead maurici mailru goofball nikon stopit odin big1 smooch reboot famil bullit anthony7
        gerhard methos 124038 morena jessica2 zebras getlost gfynthf 123581321 sarajevo indon comets tatjana rfgbnjirf
        joystick 123456c sabre beerme kitties 1475369 comcast slava squid saxophon lionhear qaywsx bustle nastena
        roadway loader hillside starlight 24681012 niggers bazooka molly123 blackice bandi cocacol nfhfrfy timur muschi
        quant4307s squerting oscars mygirls flashman tangerin p0o9i8 housewifes newness escorpio hippo qpalzm ribbit
        ghbdtndctv bogota 258000 lincoln1 bigjim lacoste firestorm legenda indain ludacris milamber 1009 evangeli
        letmesee a111111 shaker husky a4tech cnfkrth argyle rjhjdf nataha 0o9i8u7y gibson1 glendale archery hoochie
        stooge aaaaaa1 scorpions school1 vegas1 rapier mike23 bassoon groupd2013 macaco baker1 labia freewill santiag
        silverado vflfufcrfh monica1 rugrat cornhole aerosmit bionicle gfgfvfvf daniel12 virgo fmale favorite2 pokey
        shredder baggies wednesda mimosa sparhawk firehawk romario funtimes fhntvrf nexus6 159753456 timothy1 bajingan
        terry1 frenchie raiden babemagnet 74123698 nadejda truffles rapture douglas1 lamborghini motocross rjcvjc 748596
        dante1 telecom carsten pietro bmw318 carpediem samir orang helium scirocco fuzzball rushmore rebelz hotspur
        lacrimosa domenico yfnfirf jachin bloke dawgs dunhill service1 mikado devilman angelit reznor euphoria lesbain
        checkmat browndog phreak crash1 farida mutter luckyme horsemen vgirl jediknig asdas cesare allnight rockey
        starlite passfan close-up samue cazzo wrinkles homely sexpot snapshot asthma thetruth ducky blender priyanka
        gaucho dutchman sizzle kakarot 651550 passcode justinbieber 666333 elodie sanjay 110442 alex01 2300mj lakshmi
        zoomer 12349876 teapot 12345687 ramada pennywis striper pilot1 chingon optima nudity ethan1 euclid beeline
        loyola biguns zaq12345 bravo1 buffa assmunch vivid 6661313 wellingt aqwzsx madala11 9874123 sigmar pictere
        tiptop bettyboop dinero tahiti gregory1 bionic speed1 denis1 hawthorn saxman suntzu bernhard dominika balboa
        bmw2002 seville vfhbyjxrf 1234abc carling lockerroom punani darth baron1 vaness libido picher 232425 karamba
        futyn007 daydream 11001001 friends1 bopper rocky123 chooch asslover shimmer riddler openme tugboat midori
        gulnara christo swatch laker offroad puddles hackers mannheim manager1 horseman roman1 komputer pictuers
        ejaculation lioness 123456y evilone nastenka pushok javie lilman 3141592 mjolnir toulouse bigworm fullback
        extensa dreamcast belize delboy willie1 casablanca csyjxtr ricky1 bonghit salvator basher pussylover rosie1
        963258741 vivitron meonly armageddon myfriend zardoz qwedsazxc kraken fzappa starfox 333999 illmatic capoeira
        weenie ramzes toasty pupkin shinigami fhvfutljy nocturne churchil thumbnils tailgate neworder sexymama goarmy
        cerebus michelle1 vbifyz surfsup earthlin dabulls basketbal aligator mojojojo saibaba wifes wdtnjr 12345w
        slasher papabear terran footman hocke 153759 texans tom123 sfgiants billabong aassdd monolith xxx777 l3tm31n
        ticktock newone hellno japanees contortionist divx1 rochard privat radar1 bigdad fhctybq tortuga citrus avanti
        woodstock s12345 embalmer woodwork bonzai konyor newstart jigga panorama goats smithy rugrats hotmama daedalus
        nonstop fruitbat lisenok quaker violator 12345123 my3sons cajun fraggle gayboy oldfart vulva knickerless orgasms
        undertow binky litle kfcnjxrf masturbation bunnie planner transexual sparty leeloo monies fozzie landrove
        anakonda scoobie henti rfhlbyfk beyonce catfood cjytxrf zealots strat fordtruc archangel silvi sativa boogers
        miles1 bigjoe tulip petite greentea shitter jonboy voltron morticia evanescence 3edc4rfv longshot serge aabbcc
        starbucks sinful drywall www123 homebrew marlins 123412 letmeinn domini swampy plokij fordf350 webcam michele1
        bolivi 27731828 wingzero qawsedrftg shinji sverige piper1 cummer iiyama gocats amour alfarome jumanji mike69
        fantasti w00t88 shawn1 lorien 1a2s3d4f5g koleso murph natascha sunkist kennwort emine grinder m12345 q1q2q3q4
        cheeba diamante prosto pdiddy gabby1 luckys franci pornographic moochie gfhjdjp samdog comicbookdb emili
        motdepasse iphone braveheart reeses nebula sanjose kickflip arcangel superbow xyzzy dagobert alatam barbara1
        12345v vfpfafrf alessio babemagn aceman arrakis kavkaz 987789 jasons berserk myspace buckwhea csyekz pussy4me
        boingo arnaud budlite redstorm paramore becky1 imtheman chango milkyway 666555 giveme mahalo lux2000 lucian
        paddy praxis shimano bigpenis creeper newproject2004 rammstei j3qq4h7h2v hfljcnm lambchop anthony2 bugman
        stooges cybersex diamant cowboyup sentra 615243 goethe manhatta fastcar selmer 1213141516 yfnfitymrf denni
        chewey elektra 123456789p trousers fishface topspin orwell vorona sodapop motherfu ibilltes forall kookie
        ronald1 balrog maximilian mypasswo sonny1 zzxxcc tkfkdg magoo mdogg heeled gitara lesbos marajade tippy morozova
        lesbean pounded asd456 fialka scarab sharpie gstring sachin 12345asd princeto hellohel ursitesux billows
        1234kekc kombat cashew duracell kseniya sevenof9 kostik arthur1 corvet07 rdfhnbhf songoku tiberian needforspeed
        dropkick kevin123 panache libra a123456a kjiflm vfhnsirf cntgfy iamcool narut buffer sk8ordie urlaub fireblade
        blanked marishka altec gorillaz chief1 revival47 space1 ramstein doorknob devilmaycry sosiska pennstat pioner
        shevchenko detectiv evildead aggie coffees tical scotts bullwink marsel krypto adrock rjitxrf asmodeus rapunzel
        theboys hotdogs deepthro maxpayne veronic fyyeirf otter cheste abbey1 thanos bedrock bartok xxxzzz rodent
        montecarlo hernande mikayla 123456789l bravehea 12locked ltymub ameteur saltydog faisal milfnew momsuck everques
        ytngfhjkz m0nkey businessbabe cooki custard 123456ab lbvjxrf outlaws 753357 udacha insider chees fuckmehard
        shotokan katya seahorse vtldtlm mike12 beebop heathe darknes barnie rbcekz alisher toohot theduke 555222 breezy
        bulldawg monkeyman baylee losangel mastermi aurelie zxcvb12345 cayenne bastet wsxzaq geibcnbr yello fucmy69
        redwall ladybird bitchs cccccc1 rktjgfnhf ghjdthrf oedipus linus impalass fartman 12345k fokker 159753a optiplex
        bbbbbb1 realtor slipkno santacru rowdy jelena smeller 3984240 ddddd1 sexyme janet1 3698741 cazzone today1
        poobear ignatius heather2 snoopdogg blondinka honeydew fuckthat 890098890 lovem goldrush gecko llama pendejo
        avalanche fremont gandolf chowder 1a2b3c4d5e flyguy magadan pingvin ab1234 lothar lasers bignuts renee1 royboy
        skynet 12340987 1122334 dragrace 22334455 booter 12345612 corvett 123456qq capital1 videoes funtik wyvern flange
        sammydog hulkster 13245768 not4you vorlon omegared l58jkdjp! filippo 123mudar samadams petrus chris12
        123456789123 icetea sunderla adrian1 123qweas kazanova aslan fktyeirf goodsex 123ab lbtest banaan bluenose
        837519 asd12345 waffenss whateve 1a2a3a4a trailers vfhbirf bhbcrf klaatu turk182 monsoon beachbum sunbeam succes
        clyde1 rawhide bubblegum princ mackenzi 222555 niggaz manatee aquila anechka pamel bugsbunn lovel sestra althor
        hornyman wakeup zzz111 phishy cerber torrent thething solnishko babel peanu ethernet uncencored baraka 665544
        chris2 rb26dett willy1 choppers texaco biggirl 123456b anna2614 sukebe caralho callofduty rt6ytere jesus7
        timelord allblack pavlova romanov tequiero yitbos lookup snowflake dickweed barks lever irisha firestar fred1234
        ghjnjnbg danman gatito betty1 milhouse kbctyjr masterbaiting delsol papit doggys 123698741 bdfyjdf invictus
        bloods kayla1 yourmama angelok verygood yeshua twins2 porn4me 141516 james2 bosshog candys adventur stripe
        djkjlz dokken skins hogwarts vbhevbh navigato desperado xxx666 cneltyn vasiliy hazmat daytek eightbal fred1
        four20 74227422 fabia aerosmith manue wingchun boohoo hombre goatboy fuckm partizan avrora utahjazz submarin
        pussyeat heinlein control1 costaric smarty chuan triplets snowy snafu vangogh vandal evergree cochise saab900
        sniffer qaz741 lebron23 mark123 wolvie blackbelt yoshi feeder janeway nutella fuking asscock deepak poppie
        bigshow housewife grils tonto cynthia1 temptress irakli belle1 russell1 manders frank123 seabass gforce songbird
        naught brenda1 hotshit topaz 43046721 girfriend marinka jakester thatsme planeta falstaff patrizia reborn
        riptide shuan nogard chino goodlife davis1 1911a1 harrys shitfuck 12345678900 russian7 007700 porshe danil
        dolphi river1 sabaka gobigred deborah1 volkswagen miamo alkaline muffdive fkbyrf goodguy nirvan ozzie cannonda
        cvbhyjdf marmite germany1 joeblow radio1 raindrop 159852 jacko newday fathead elvis123 caspe citibank sports1
        deuce boxter fakepass golfman snowdog birthday4 nonmembe niklas parsifal krasota theshit 1235813 maganda omicron
        columbo buick thistle bassin rickster apteka sienna skulls miamor coolgirl gravis 1qazxc virgini akasha batma
        motorcyc bambino tenerife fordf250 zhuan iloveporn markiza hotbabes becool fynjybyf wapapapa forme mamont pizda
        dragonz sharon1 scrooge mrbill pfloyd leeroy natedog ishmael 777111 tecumseh carajo nfy.irf 0000000000o
        blackcock fedorov antigone feanor novikova bobert peregrin pumkin rayman manuals tooltime 555333 bonethug
        bonnie1 tonyhawk laracroft mahalkita 18273645 terriers gamer hoser littlema molotok glennwei lemon1 caboose
        tater 12345654321 brians fritz1 mistral jigsaw fuckshit hornyguy southside edthom antonio1 bobmarle pitures
        ilikesex crafty nexus boarder fulcrum astonvil yanks1 yngwie account1 zooropa hotlegs sammi gumbo perkele
        maurolarastefy lampard 357753 barracud dmband abcxyz pathfinder 335577 yuliya micky jayman 1596321 halcyon
        rerfhtre feniks zaxscd gotyoass jaycee jamesb vibrate grandpri camino colossus davidb mamo4ka nicky1 homer123
        pinguin watermelon lasttime glider 823762 helen1 pyramids tulane osama rostov john12 scoote bhbyrf gohan
        galeries joyful bigpussy tonka mowgli astalavista zzz123 leafs 777000 primal bigmama okmijn killzone qaz12345
        snookie zxcvvcxz davidc epson rockman ceaser beanbag katten 3151020 duckhunt segreto matros ragnar 699669
        sexsexse 123123z fuckyeah bigbutts gbcmrf marketin saratov elbereth yamahar6 grime masha juneau 1230123 pappy
        lindsay1 mooner katzen lucent polly1 lagwagon pixie misiaczek 666666a smokedog eyeball ironhors ametuer volkodav
        vepsrf kimmy poi098 ovation 1q2w3 drinker penetrating summertime prima modles takamine hardwork macintosh tahoe
        passthie chiks sundown flowers1 boromir music123 phaedrus albert1 joung malakas gulliver parker1 balder sonne
        jessie1 domainlock2005 vfkbyf youandme raketa koala dhjnvytyjub nhfrnjh testibil ybrbnjc 987654321q axeman
        pintail dogggg shandy thesaint 11122233 x72jhhu3z theclash raptors djdjxrf hell666 vivaldi lance1 guesswho
        jeadmi corgan skillz gymnastic satori 362514 theedge cxfcnkbdfz sparkey deicide bagels lololol lemmings r4e3w2q1
        silve staind schnuffi dazzle leroy1 luckie goodfell hermione peaceout davidoff yesterda killah flippy chrisb
        zelda1 headless muttley fuckof tittys catdaddy photog beeker reaver ram1500 yorktown bolero tryagain arman
        chicco learjet alexei jenna1 go2hell 12s3t4p55 momsanaladventure protoss rooter ginola mojave erica1 1qazse4
        marvin1 redwolf sunbird dangerou maciek girsl hawks1 excellen dashka soleda toonces acetate nacked jbond007
        alligator debbie1 wellhung monkeyma supers rigger larsson vaseline rjnzhf maripos 123456asd cbr600rr doggydog
        cronic jason123 trekker flipmode druid sonyvaio dodges mayfair mystuff fun4me samanta sofiya magics arcane
        sixtynin 222444 omerta luscious gbyudby bobcats envision chance1 seaweed holdem tomate mensch slicer goochi
        qweewq punter repoman tomboy never1 cortina gomets 147896321 369852147 dogma bhjxrf loglatin eragon strato
        gazelle growler 885522 klaudia payton34 fuckem butchie scorpi lugano 123456789k nichola spide uhbujhbq rsalinas
        vfylfhby longhorns bugatti everquest !qaz2wsx blackass 999111 snakeman p455w0rd fanatic family1 pfqxbr mysecret
        marat october1 genghis cooker citron ace123 1234569 gramps blackcoc hickory ivanhoe blackboy escher sincity
        beaks meandyou spaniel timmy1 lancaste polaroid edinburg fuckedup hotman cueball golfclub gopack bookcase
        worldcup dkflbvbhjdbx twostep 17171717aa letsplay zolushka stella1 pfkegf kingtut barracuda wiggles gjhjkm
        prancer patata kjifhf romanova sexyass dobber sokolov pomidor algernon cadman amoremio william2 silly1 bobbys
        hercule hd764nw5d7e1vb1 defcon deutschland robinhood alfalfa machoman lesbens easypay tomservo nadezhda goonies
        saab9000 jordyn f15eagle dbrecz greatsex thrawn blunted baywatch doggystyle loloxx january1 kodak bushel
        78963214 ub6ib9 zz8807zpl briefs hawker 224488 first1 bonzo brent1 erasure 69213124 sidewind 622521 mentos
        kolibri onepiece united1 ponyboy keksa12 wayer mypussy andrej mischa mille bruno123 garter bigpun talgat familia
        newjob 747400 bobber blackbel hatteras ginge rebbyt34 ebony1 vegas123 myboys aleksander ijrjkflrf lopata pilsner
        m0nk3y andreev freiheit drjynfrnt waterpolo shibumi 852963 123bbb cezer121 volkova rattler kleenex ben123 sanane
        happydog satellit qazplm qazwsxedcrfvtgb meowmix badguy facefuck blondy major1 25000 anna123 654321a sober1
        deathrow patterso china1 waldo1 butchy crayon 5tgb6yhn klopik crocodil mothra imhorny splatter slippy router
        buratino yahweh 123698 123qwe456 peepers ganjaman 1hxboqg2 cheyanne storys sebastie zztop maddison 4rfv3edc
        darthvader jeffro iloveit victor1 hotty delphin lifeisgood gooseman shifty insertions dude123 abrupt boogaloo
        chronos stamford pimpster kthjxrf getmein amidala flubber fettish grapeape dantes oralsex jack1 foxcg33 winchest
        francis1 getin archon cliffy blueman sport1 emmitt22 bignasty morga 123hfjdk147 ferrar juanito fabiol caseydog
        steveo peternorth paroll kimchi bootleg gaijin secre acacia amarillo rfhfgep tylers a1a2a3a4a5 sweetass blower
        rodina babushka camilo cimbom tiffan vfnbkmlf ohbaby gotigers lindsey1 romulus dropdead snuggle eleven11
        bloopers 357mag avangard bmw320 ginscoot dshade masterkey rootedit caramba leahcim hannover 8phrowz622 tim123
        cassius 000000a angelito zzzzz1 badkarma malaga glenwood footlove fastcars polinka k.jdm marusya augusto shiraz
        pantyhose donald1 blaise arabella brigada c3por2d2 peter01 marco1 hellow dillweed uzumymw geraldin 088011
        gophers indy500 slainte 5hsu75kpot teejay renat racoon sabrin angie1 shiznit harpua sexyred latex tucker1
        alexandru wahoo teamwork deepblue goodison rundmc r2d2c3p0 puppys samba ayrton boobed 999777 topsecre 123321z
        loudog pantie drevil mandolin 121212q hottub brother1 failsafe spade1 matvey open1234 carmen1 priscill schatzi
        kajak gooddog gordon1 kayak calamity argent ufhvjybz seviyi penfold assface dildos hawkwind crowbar yanks
        ruffles rastus luv2epus open123 aquafina dawns jared1 teufel 12345c vwgolf amores passwerd 01478520 boliva
        smutty headshot davidd zydfhm gbgbcmrf pornpass insertion ceckbr car123 checkit dbnfkbq niggas nyyankee muskrat
        nbuhtyjr ocean1 fabienne wendys batgirl cerveza igorek steel1 ragman boris123 novifarm mike01 giveitup 123456abc
        fuckall crevice hackerz gspot eight8 assassins texass swallows 123458 baldur moonshine labatt modem voland
        dbnfkz hotchick jacker princessa booper reliant miranda1 andre1 badnaamhere barnaby david12 margaux corsica
        085tzzqi universi thewall nevermor martin6 cipher 0102030405 seraphim black123 imzadi gandon dkflbvbhjdyf bigbad
        feedme ultraman jackdog fresh1 monique1 tigre alphaman cool1 greyhoun indycar crunchy carefree 063dyjuy xrated
        assclown federica hilfiger trivia mamita 100200300 simcity lexingky akatsuki retsam johndeere abudfv raster
        elgato businka satanas mattingl shamil patate mannn moonstar evil666 b123456 bowl300 tanechka 34523452 carthage
        babygir santino bondarenko jesuss numlock shyguy sound1 kirby1 needit mostwanted 427900 steve123 passions
        anduril kermit1 prospero lusty barakuda dream1 broodwar porky christy1 mahal yyyyyy1 allan1 flintsto capri
        cumeater heretic robert2 hippos blindax marykay collecti kasumi 1qaz!qaz 112233q 123258 chemistr coolboy 0o9i8u
        kabuki righton tigress nessie sergej andrew12 yfafyz ytrhjvfyn victo mobbdeep lemming transfor 1725782 myhouse
        aeynbr muskie leno4ka cvbhyjd daffodil pussylicker pamela1 stuffer warehous 2w3e4r pluton louise1 polarbea
        253634 prime1 anatoliy januar wysiwyg cobraya ralphy whaler xterra cableguy 112233a jamesd aqualung jimmy123
        lumpy luckyman kingsize leeds1 marigold lol1234 teabag alex11 10sne1 saopaulo shanny roland1 basser 3216732167
        carol1 year2005 morozov joseluis bushed redrock memnoch lalaland lovegod gulnaz buffalos anteater pattaya jaydee
        redshift bartek summerti ricochet incest schastie rakkaus h2opolo suikoden perro dance1 whoopass vladvlad boober
        alessia gfcgjhn pipers papaya gunsling coolone gonads gfhjkzytn foxhound gangrel ghjvtntq bluedevi mywife
        hangman licorice patter vfr750 thorsten 515253 ninguna dakine strange1 mexic vergeten 12345432 8phrowz624
        stampede floyd1 sailfish raziel ananda giacomo freeme crfprf 74185296 allstars solrac gfnhbjn bayliner bmw525
        3465xxx catter single1 michael3 nitrox mapet123456 halibut killroy xxxxx1 phillip1 poopsie arsenalfc buffys
        kosova all4me 32165498 arslan opensesame brutis charles2 pochta nadegda backspac invis gogeta 654321q adam25
        niceday truckin gfdkbr biceps sceptre bigdave lauras user345 sandys shabba ratdog cristiano natha march13
        gumball getsdown wasdwasd dddddd1 longlegs 13572468 starsky ducksoup bunnys omsairam whoami fred123 danmark
        flapper swanky lakings yfhenj asterios rainier searcher dapper ltdjxrf horsey seahawk shroom tkfkdgo aquaman
        tashkent number9 messi10 milenium illumina vegita jodeci bareback goldfinger 33rjhjds sabian thinkpad sully
        bonghits magnavox colombi voiture limpone oldone aruba zhenya nomar5 touchdow limpbizkit rhfcfdxbr baphomet
        afrodita madiso ladles lovefeet matthew2 theworld thunderbird dolly1 123rrr forklift alfons berkut saphire
        oilman creatine pussylov 456258 filimon fucing yfnfkbz hot123 abdulla nippon nolimits billiard buttplug westlife
        coolbean lopas asasin 1212121 october2 whodat good4u d12345 kostas ilya1992 regal volodya focus1 bastos nbvjif
        fenix anita1 vadimka nickle jesusc 123321456 teste essendon evgenii celticfc adam1 forumwp lovesme 26exkp
        chillout burly thelast1 marcus1 metalgear socrate world1 franki mommie vicecity postov1000 oldschool 333221
        legoland antoshka counterstrike buggy 123454 qwertzui toons chesty bigtoe limpopo rerehepf diddle solidsnake
        rockroll 963369 qwezxc cloggy prashant katharin maxfli takashi cumonme michael9 mymother pennstate khalid
        48151623 fightclub showboat mateusz elrond teenie mammamia dustydog dominator erasmus zxcvb1 1a2a3a dennis1
        galaxie pleaseme junkyard galadriel charlies behemoth teres fairway joshua12 baraban apelsin mousepad melon
        twodogs 123321qwe metalica ryjgrf pipiska rerfhfxf lugnut cretin powerade aaaaaaa1 omanko kovalenko isabe
        chobits 151nxjmt zcxfcnkbdf gy3yt2rgls vfhbyrf 159753123 bladerunner goodone wonton doodie 333666999 chisox
        orlando1 skateboa red12345 destroye snoogans juancarlo goheels jetson scottt fuckup aleksa gfhfljrc passfind
        oscar123 derrick1 hateme pieman tuffy andover 10000 makarov grant1 nighthaw 13576479 browneye batigol nfvfhf
        chocolate1 7hrdnw23 petter bantam morlii jediknight brenden argonaut goodstuf wisconsi 315920 abigail1 dirtbag
        splurge k123456 valdepen gsxr600 322223 ghjnjrjk zaq1xsw2cde3 schwanz walter1 nomads 124356 codeblue nokian70
        fucke agyvorc aztecs passw0r smuggles femmes ballgag krasnodar tamuna schule sixtynine empires erfolg dvader
        ladygaga elite1 venezuel nitrous kochamcie olivia1 trustn01 arioch 131415 tristar 555000 maroon 135799 marsik
        555556 fomoco natalka cwoui tartan davecole nosferat hotsauce dmitry horus dimasik skazka boss302 bluebear
        vesper ultras tarantul asd123asd azteca theflash 8ball titlover lucas123 number6 sampson1 789852 party1 adonai
        carwash metropol psychnau vthctltc hounds firework blink18 145632 satchel rice80 ghtktcnm cubano anderso mike11
        famili dfghjc besiktas roygbiv nikko bethan minotaur rakesh hfleuf jackel myangel favorite7 1478520 asssss
        agnieszka haley1 raisin htubyf cfiekz derevo 1a2a3a4a5a baltika raffles clitlick louis1 fy.nrf walker1 makoto
        redbeard vfvfvskfhfve mycock sandydog lineman network1 favorite8 longdick mustangg mavericks indica cisco1
        angelofwar brianna1 bubbaa level42 baldrick lowdown haribo lovesexy 500000 thissuck picker stephy characte
        telecast repytwjdf thematrix hammerhe chucha ganesha gunsmoke georgi sheltie knulla sallas westie conker crappie
        margosha lisboa 3e2w1q shrike grifter ghjcnjghjcnj myszka posture boggie rocketman flhtyfkby twiztid vostok
        pi314159 force1 televizor gtkmvtym samhain imcool jadzia dreamers strannik k2trix steelhea nikitin commodor
        brian123 chocobo whopper ibilljpf megafon ararat thomas12 ghbrjkbcn q1234567890 hibernia kings1 jim123 redfive
        iawgk2 1234567u d123456 ndirish airborn halfmoon ranchero sneaker cowman birthday1 johnn razzle wsxqaz nubian
        henderso eric1 123123e boscoe01 fuck0ff simpson1 sassie rjyjgkz watashi loredana janus wilso conman david2 mothe
        iloveher snikers davidj fkmnthyfnbdf mettss ratfink 123456h lostsoul sweet16 brabus wobble petra1 fuckfest
        otters svetka spartacu bigstick milashka pasport champagn papichul hrvatska hondacivic kevins tacit moneybag
        gohogs 246813579 ytyfdbcnm gubber darkmoon vitaliy 233223 playboys tristan1 joyce1 oriflame mugwump autocad
        thematri lolwut ibill01 multisyn 1233211 pelikan rob123 chacal 1234432 griffon pooch dagestan geisha satriani
        anjali rocketma gixxer pendrago vincen hellokit killyou ruger doodah bumblebe badlands galactic emachines
        foghorn jackso jerem avgust frontera 123369 daisymae hornyboy diabl interex iwantsex rockydog kukolka sawdust
        3234412 bigpapa jewboy 3263827 dave123 riches 333222 tony1 toggle farter 124816 tities balle brasilia southsid
        micke patit ctdfcnjgjkm olds442 zzzzzz1 nelso gremlins carter1 farcry 7415963 michael8 charl 123456789abc 100001
        aztec sinjin bigpimpi closeup atlas1 nvidia doggone manana malcolm1 rfkbyf hotbabe rajesh dimebag ganjubas
        rodion jagr68 seren syrinx funnyman karapuz 123456789n bloomin biggdogg ocarina hellome booties blowjobs matt1
        swede evgeniya lfhbyf coach1 444777 green12 patryk pinewood justin12 271828 89600506779 notredame tuborg lemond
        sk8ter million1 wowser pablo1 st0n3 jeeves funhouse hiroshi gobucs angeleye bereza catalin qazedc andros ramazan
        vampyre sweethea imperium murat jamest flossy sandeep morgen salamandra bigdogg stroller njdevils nutsack
        vittorio %%passwo playful rjyatnrf tookie ubnfhf michi 777444 radiance beluga amormi dandfa trust1 killemall
        smallville polgara billyb landscap steves exploite zamboni damage11 dzxtckfd kobe08 damager egorov ckfdbr lisa69
        audis4 nelson1 nibbles 23176djivanfros mutabor artofwar matvei metal666 hrfzlz schwinn poohbea seven77 thinker
        sobriety jakers karamelka vbkfyf volodin iddqd dale03 roberto1 lizaveta qqqqqq1 cathy1 08154711 davidm quixote
        bluenote tazdevil katrina1 bublik marma olechka fatpussy marduk arina nonrev67 qqqq1111 camill wtpfhm truffle
        fairview mashina voltaire qazxswedcvfr dickface grassy lapdance bosstone crazy8 yackwin mobil danielit mounta1n
        bluegill mewtwo reverb cnthdf pablito a123321 elena1 orland ilovemyself rfntyjr joyride schoo dthjxrf thetachi
        goodtimes blacksun humpty chewbacca guyute 123xyz lexicon qwe789 galatasaray centrino deimos craig1 sarah123
        tupelo ljrnjh hotwife bingos 1231231 nicholas1 flamer pusher 1233210 heart1 hun999 jiggy giddyup oktober
        123456zxc budda galahad glamur samwise oneton bugsbunny dominic1 freetime internat 159753852 sc00ter wantit
        mazinger inflames laracrof greedo 014789 godofwar repytwjd water123 fishnet venus1 wallace1 tenpin paula1
        1475963 mania novikov qwertyasdfgh goldmine homies 777888999 holeinon paper1 samael 013579 mansur nikit ak1234
        blueline hotcock laredo windstar vbkbwbz newworld lfybkrf piranha treacle royale 2234562 smurfs minion cadence
        flapjack 123456p sydne 135531 robinhoo nasdaq decatur cyberonline newage gemstone jabba touchme hooch pigdog
        indahous fonzie juggle patrick2 nihongo hitomi oldnavy qwerfdsa ukraina shakti allure kingrich diane1 canad
        piramide clarion college1 5641110 therion clubber velcro dave1 13579- astroboy skittle isgreat photoes
        cvzefh1gkc 001100 2cool4u 7555545 2wsxcde3 invader domenow asd1234 colgate qwertasdfg jack123 maxman bronte
        whkzyc peter123 bogie yecgaa abc321 1qay2wsx enfield camaroz2 trashman bonefish system32 azsxdcfvgb peterose
        iwantyou blastoff capa200 connie1 blazin 12233445 sexybaby 123456j brentfor pheasant hommer jerryg thunders
        august1 lager kapusta rocco1 xytfu7 stars1 tugger 123sas blingbling 0wnsyo0 1george baile richard2 habana
        sensatio 1chris clinton1 michael7 pissant fatim levani rostik pizzapie 987412365 748159263 cum4me palmetto
        4r3e2w1q paige1 muncher arsehole kratos gaffer banderas billys prakash crabby bungie caddis xboxlive sylvania
        littlebi 524645 futura valdemar isacs155 prettygirl big123 555444 slimer chicke newstyle skypilot sailormoon
        fatluvr69 jetaime sitruc jesuschrist sameer hellion yendor country1 etnies conejo jedimast darkknight toobad
        yxcvbn snooks porn4life calvary alfaromeo ghostman yannick fnkfynblf vatoloco homebase 5550666 barret
        1111111111zz odysseus edwardss favre4 jerrys crybaby xsw21qaz firestor spanks squish kingair babycakes haters
        sarahs 212223 teddyb xfactor cumload rhapsody death123 three3 raccoon thomas2 1q2q3q4q5q thebes mysterio
        thirdeye orkiox. nodoubt bugsy schweiz darkwing jeronimo moonpie mack10 manish denise1 fellowes carioca taylor12
        epaulson makemoney oc247ngucz kochanie 3edcvfr4 vulture 1qw23e 1234567z munchie xthtgfirf sportste creativ
        perils slurred hermit scoob cards1 wipeout weeble out3xf powerpc chrism kalle ariadne kailua phatty fordman
        bungalow paul123 compa train1 thejoker jys6wz pussyeater eatmee sludge dominus denisa tagheuer yxcvbnm bill1
        ghfdlf 300zx carcass semaj ramone muenchen greeny annemari dbrf134 jeepcj7 mollys garten sashok ironmaid coyotes
        astoria george12 westcoast primetim 123456o panchito rafae japan1 framer auralo tooshort egorova callme medicina
        warhawk w1w2w3w4 cristia merli alex22 kawaii chatte wargames utvols muaddib trinket andreas1 jjjjj1 cleric
        scooters cuntlick gggggg1 235711 handcuff stussy guess1 leiceste ppppp1 passe lovegun chevyman hugecock buttsex
        psychnaut1 black2 melbourn man123 metalman yjdsqujl blondi bungee freak1 stomper caitlin1 nikitina flyaway
        prikol begood desperad aurelius john1234 whosyourdaddy slimed123 bretagne den123 hotwheel king123 roodypoo
        izzicam save13tx warpten samolet ready1 coopers scott123 bonito 1aaaaa yomomma rache itworks asecret fencer
        451236 polka olivetti sysadmin zepplin sanjuan 479373 lickem hondacrx pulamea future1 sexyguy w4g8at declan
        rumple daddy123 4snz9g grandprix calcio whatthefuck nagrom asslick pennst negrit squiggy 1223334444 giovann
        tweet yardbird seagate truckers 554455 scimitar pescator slydog gaysex dogfish 12332112 qazxswed morkovka
        daniela1 imback 789123456 123456789w jimmy2 bagger nikolaus atdhfkm rebirth 1111aaaa pervasive gjgeufq dte4uw
        gfhnbpfy skeletor whitney1 walkman delorean 555888 as1234 ishikawa dmitrii bigshot morrisse purgen qwer4321
        itachi willys 123123qwe kisska roma123 trafford sk84life 326159487 pedros idiom plover bebop 159875321 jailbird
        arrowhea zaxscdvf catlover bakers 13579246 helloyou simeon chevyz71 funguy stargaze parolparol bubby apathy
        poppet laxman kelly123 goodnews 741236 gaetano astonvilla virtua luckyboy rocheste hello2u elohim cstrike
        pepsicola miroslav 96385274 fistfuck cheval magyar svetlanka lbfyjxrf mamedov 123123123q 1nicole pittbull fredd
        bbbbb1 dagwood gfhkfvtyn ghblehrb logan5 sexbomb montauk 258741 dtythf gibbon winamp thebomb millerli 852654
        gemin baldy mulberry morrigan hotel6 zorglub surfin 951159 excell arhangel emachine moses1 968574 reklama cuties
        barca twingo saber elite11 redtruck casablan ashish moneyy cnhtktw rjcnbr arschloch phenix cachorro sunita
        madoka joselui adams1 mymoney hemicuda fyutkjr jake12 chicas eeeee1 sonnyboy smarties birdy cnfcbr island1
        kurosaki taekwond konfetka bennett1 jackson2 fresca minako octavian kban667 feyenoord muaythai jakedog
        fktrcfylhjdyf 1357911q phuket sexslave fktrcfylhjdbx asdfjk 89015173454 kindbud eltoro sex6969 nyknicks
        12344321q caballo evenflow hoddle metro1 mahalko lawdog tightass manitou buckie anton123 335533 primo ramair
        timbo brayden stewie pedro1 yorkshir ganster hellothe direwolf genesi rodrig enkeli vaz21099 sorcerer winky
        oneshot boggle serebro japanes comicbook kamehame alcat denis123 echo45 sexboy gr8ful hondo voetbal 2112rush
        geneviev moosey polkmn matthew7 ironhead hot2trot ashley12 sweeper imogen retep guitarra bernard1 tatian
        frankfur vfnhbwf slacking haha123 963741 asdasdas katenok 123456789qaz 12qwasz reggie1 sharo 976431 pacifica
        dhip6a neptun kardon beaut 555555a toosweet tiedup 11121314 startac rediska pirata vfhrbp energize playbo
        larry123 oemdlg cnjvfnjkju a123123 alexan gohawks antonius fcbayern mambo kremlin ellen1 tremere vfiekz bellevue
        izabella malishka fermat rotterda dawggy becket chasey kramer1 21125150 lolit cabrio schlong arisha verity 3some
        favorit maricon travelle hotpants red1234 garrett1 home123 knarf seven777 figment asdewq canseco good2go warhol
        thomas01 pionee al9agd panacea brazzers oriole finalfan patricio northsta rebelde bulldo stallone 7uftyx cfhfnjd
        compusa cornholi config deere hoopster sepultura grasshop babygurl lesbo diceman proverbs reddragon nurbek
        tigerwoo superdup buzzsaw kakaroto golgo13 edwar 123qaz123 sssss1 texas2 respekt ou812ic 123456qaz 55555a
        mcgwire maria123 aol999 cinders aa1234 joness ghbrjkmyj makemone sammyboy 567765 380zliki theraven testme mylene
        elvira26 indiglo tiramisu shannara baby1 123666 gfhreh papercut johnmish bagpipes dimarik
        """
}

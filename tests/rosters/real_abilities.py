"""Abilities of real datasheets as a player reads them, in the words of this library; their texts are not here.

Each was judged by hand against its text (BSData/wh40k-10e at 801555bb, 14 June 2026).
"""

from __future__ import annotations

#: A line each: list, unit, ability, state, effects.
_LISTS = """\
10e-chaos-daemons-battlescribe.rosz | Be'lakor | Invulnerable Save | on | invulnerable save 4+
10e-chaos-daemons-battlescribe.rosz | Be'lakor | Stealth | on | Stealth
10e-chaos-daemons-battlescribe.rosz | Shalaxi Helbane | Cloak of Constriction | off | -1 Attacks for the enemy in melee against a marked enemy
10e-chaos-daemons-battlescribe.rosz | Shalaxi Helbane | Feel No Pain 5+ | on | Feel No Pain 5+
10e-chaos-daemons-battlescribe.rosz | Plaguebearers | Invulnerable Save | on | invulnerable save 5+
10e-chaos-daemons-battlescribe.rosz | Lord of Change | Daemon Lord of Tzeentch (Aura) | off | +1 Strength at range for friendly Tzeentch Legiones Daemonica within its aura
10e-chaos-daemons-battlescribe.rosz | Fluxmaster | Fluxmaster | automatic | -1 to hit rolls for attacks against it while leading
10e-chaos-daemons-battlescribe.rosz | Fluxmaster | Invulnerable Save: Fluxmaster | on | invulnerable save 4+
10e-chaos-daemons-battlescribe.rosz | Great Unclean One | Daemon Lord of Nurgle (Aura) | off | Feel No Pain 6+ for friendly Nurgle Legiones Daemonica within its aura
10e-chaos-daemons-battlescribe.rosz | Great Unclean One | Nurgle’s Rot (Psychic) | off | -1 Toughness for the enemy against a marked enemy
10e-emperors-children-newrecruit.json | Fulgrim | Beguiling Form | on | -1 to hit rolls for attacks against it
10e-emperors-children-newrecruit.json | Lucius the Eternal | A Challenge Worthy of Skill | automatic | re-roll hits: failed against Character, Monster, Walker & re-roll wounds: failed against Character, Monster, Walker
10e-emperors-children-newrecruit.json | Daemon Prince of Slaanesh | Excessive Vigour (Aura) | off | AP better by 1 in melee for friendly Slaanesh within its aura after a charge
10e-emperors-children-newrecruit.json | Daemon Prince of Slaanesh with Wings | Stimulated by Pain | on | -1 Damage for attacks allocated to it
10e-emperors-children-newrecruit.json | Lord Exultant | Perfectionists | automatic | [Lethal Hits] while leading
10e-emperors-children-newrecruit.json | Lord Exultant | Euphoric Strikes | off | +3 Attacks in melee once per battle or turn when used & AP better by 1 in melee once per battle or turn when used
10e-emperors-children-newrecruit.json | Lord Kakophonist | Obsessive Annunciation | automatic | [Sustained Hits 1] at range while leading
10e-emperors-children-newrecruit.json | Infractors | Excessive Assault | on | re-roll wounds: ones in melee & re-roll wounds: failed in melee at an objective instead
10e-emperors-children-newrecruit.json | War Dog Brigand | Brigand | off | [Ignores Cover] at range at an objective
10e-emperors-children-newrecruit.json | War Dog Brigand | Invulnerable Save | on | invulnerable save 5+ at range
10e-necrons-rosterwriter.rosz | Overlord | Implacable Resilience | on | -1 Damage for attacks allocated to it
10e-necrons-rosterwriter.rosz | Overlord | Command Protocols | automatic | +1 to hit rolls while led by Necrons Character
10e-necrons-rosterwriter.rosz | The Silent King | Phaeron of the Stars (Aura) | off | re-roll hits: ones at range for friendly Necrons within its aura & re-roll wounds: ones at range for friendly Necrons within its aura
10e-shadow-legion-newrecruit.json | Be'lakor | Shadow Lord (Aura, Psychic) | off | re-roll hits: ones for friendly Legiones Daemonica, Shadow Legion within its aura
10e-shadow-legion-newrecruit.json | Bloodthirster | Daemon Lord of Khorne (Aura) | off | +1 to hit rolls in melee for friendly Khorne Legiones Daemonica within its aura
10e-shadow-legion-newrecruit.json | Exalted Flamer | Blazing Warpfire (Psychic) | automatic | [Assault] at range while leading
10e-shadow-legion-newrecruit.json | Exalted Flamer | Penumbral Puppetry | on | -1 to hit rolls for attacks against it
10e-shadow-legion-newrecruit.json | Great Unclean One | Daemon Lord of Nurgle (Aura) | off | +1 Toughness for friendly Nurgle Legiones Daemonica within its aura
10e-shadow-legion-newrecruit.json | Great Unclean One | Gloam Rot | automatic | -1 to wound rolls for attacks against it if S > T
10e-shadow-legion-newrecruit.json | Great Unclean One | Feel No Pain 6+ | on | Feel No Pain 6+
10e-shadow-legion-newrecruit.json | Keeper of Secrets | Mesmerising Form | on | -1 to hit rolls for attacks against it
10e-shadow-legion-newrecruit.json | Keeper of Secrets | Shining aegis | on | Save 3
10e-shadow-legion-newrecruit.json | Flesh Hounds | Collar of Khorne | on | Feel No Pain 3+ against psychic attacks
10e-shadow-legion-newrecruit.json | Legionaries | Veterans of the Long War | on | re-roll wounds: ones in melee & re-roll wounds: failed in melee at an objective instead
10e-shadow-legion-newrecruit.json | Chaos Terminator Squad | Despoilers | off | re-roll hits: failed in its state Dark Pact
10e-sororitas-newrecruit.json | Junith Eruita | The Pulpit of Saint Holline’s Basilica | automatic | -1 to hit rolls for attacks against it while leading
10e-sororitas-newrecruit.json | Morvenn Vahl | Abbess Sanctorum | automatic | re-roll hits: failed while leading & re-roll wounds: failed while leading
10e-sororitas-newrecruit.json | Triumph of Saint Katherine | Relic of the Matriarch - Simulacrum of the Argent Shroud (Aura) | off | re-roll wounds: ones at range for friendly Adepta Sororitas within its aura
10e-sororitas-newrecruit.json | Triumph of Saint Katherine | Relic of the Matriarch - Icon of the Valorous Heart (Aura) | off | Feel No Pain 6+ for friendly Adepta Sororitas within its aura
10e-sororitas-newrecruit.json | Triumph of Saint Katherine | Relic of the Matriarch - Petals of the Bloody Rose (Aura) | off | AP better by 1 in melee for friendly Adepta Sororitas within its aura
10e-sororitas-newrecruit.json | Canoness | The Emperor's Grace | off | invulnerable save 2+ once per battle or turn when used
10e-sororitas-newrecruit.json | Imagifier | Stanchion of Holy Martyrs | automatic | Save 2 while leading & invulnerable save 4+ while leading
10e-sororitas-newrecruit.json | Palatine | Fury of the Righteous | automatic | [Lethal Hits] while leading
10e-sororitas-newrecruit.json | Battle Sisters Squad | Invulnerable Save | on | invulnerable save 6+
10e-sororitas-newrecruit.json | Repentia Squad | Overseer of Redemption | automatic | re-roll hits: failed in melee for Sisters Repentia while the unit contains Repentia Superior & re-roll wounds: failed in melee for Sisters Repentia while the unit contains Repentia Superior
10e-sororitas-newrecruit.json | Sisters Novitiate Squad | Impetuous Fervour | on | re-roll hits: ones & re-roll hits: failed at an objective instead
10e-sororitas-newrecruit.json | Castigator | Rites of Castigation | off | AP better by 1 at range for friendly Adepta Sororitas against a marked enemy
10e-sororitas-newrecruit.json | Paragon Warsuits | Righteous Paragons | automatic | +1 to hit rolls against Monster, Vehicle & +1 to wound rolls against Monster, Vehicle
10e-sororitas-newrecruit.json | Immolator | Purge and Cleanse | off | the target has no cover at range for friendly units against a marked enemy
10e-sororitas-newrecruit.json | Armiger Warglaive | Impetuous Glory | automatic | +1 Attacks with reaper chain-cleaver - strike after a charge & +2 Attacks with reaper chain-cleaver - sweep after a charge
10e-sororitas-newrecruit.json | Armiger Warglaive | Invulnerable Save (5+*) | on | invulnerable save 5+ at range
10e-tyranids-battlescribe.rosz | Hive Tyrant | Onslaught (Aura, Psychic) | off | [Assault] at range for friendly Tyranids within its aura
10e-tyranids-battlescribe.rosz | Hive Tyrant | Adaptive Biology | on | Feel No Pain 5+
10e-tyranids-battlescribe.rosz | Zoanthropes | Warp Field (Aura, Psychic) | off | invulnerable save 6+ for friendly Tyranids within its aura
10e-tyranids-battlescribe.rosz | Exocrine | Symbiotic Targeting | off | re-roll hits: ones at range for friendly Tyranids against a marked enemy
10e-tyranids-battlescribe.rosz | Maleceptor | Encephalic Diffusion (Aura, Psychic) | off | -1 to hit rolls for the enemy by an enemy near it & -1 to wound rolls for the enemy by an enemy near it while the enemy is below half-strength
10e-tyranids-battlescribe.rosz | Norn Emissary | Unnatural Resistance | on | Feel No Pain 4+ against mortal wounds
10e-tyranids-battlescribe.rosz | Tyrannofex | Resilient Organism | off | Damage becomes 0 once per battle or turn
10e-votann-battlescribe.rosz | Hearthkyn Warriors | Weavefield crest | on | invulnerable save 4+
10e-votann-battlescribe.rosz | Hearthkyn Warriors | Medipack | on | Feel No Pain 6+
10e-votann-battlescribe.rosz | Hearthkyn Warriors | Pan spectral scanner | on | [Ignores Cover] at range
10e-votann-battlescribe.rosz | Einhyr Hearthguard | Oathband Bodyguard | automatic | -1 to wound rolls for attacks against it while led by Character if S > T
10e-votann-battlescribe.rosz | Hernkyn Pioneers | Pan-spectral scanner | on | [Ignores Cover] at range
10e-votann-battlescribe.rosz | Hekaton Land Fortress | Fire Support | off | re-roll wounds: failed at range for friendly units against a marked enemy after disembarking
"""
#: A line each: datasheet, ability, effects.
_DATASHEETS = """\
Abaddon the Despoiler | Paragon of Hatred (Aura) | re-roll hits: failed for friendly Heretic Astartes, not Damned within its aura
Abominant | Feel No Pain 5+ | Feel No Pain 5+
Achilles Ridgerunners | Crossfire | AP better by 1 for friendly Genestealer Cults against a marked enemy
Adrax Agatone | Unto the Anvil | re-roll wounds: failed in melee while leading
Aestred Thurga and Agathae Dolan | Auto-Tapestry of the Emperor's Judgement | [Devastating Wounds] while leading while the unit contains Aestred Thurga
Allarus Custodians | Slayers of Tyrants | re-roll wounds: failed against Character, Monster, Vehicle
Ancient in Terminator Armor | Keep the Banner High | +1 to hit rolls while leading while below Starting Strength & +1 to wound rolls while leading while below half-strength
Angron | Driven by Ultimate Rage (Aura) | ignores modifiers of hit,skill in melee for friendly World Eaters within its aura
Archaeopter Stratoraptor | Strafing Run | +1 to hit rolls at range not against Fly
Ares Gunship | Deadly Unity (Aura) | +1 to hit rolls for friendly Anathema Psykana within its aura
Arjac Rockfist | Champion of the Kingsguard | re-roll hits: failed in melee against Character & re-roll wounds: failed in melee against Character
Armiger Helverin | Suppression Protocols | -1 to hit rolls for the enemy (not Monsters, not Vehicles) against a marked enemy in its state suppressed in its state
Armoured Sentinels | Mobile Hunter-killers | re-roll wounds: failed against Monster, Vehicle
Assault Intercessor Squad | Shock Assault | re-roll wounds: ones in melee & re-roll wounds: failed in melee at an objective instead
Astorath | Mass of Doom | [Devastating Wounds] in melee after a charge
Baharroth | Cry of the Wind | critical hits on 2+ at range after being set up
Ballistus Dreadnought | Ballistus Strike | re-roll hits: failed at range against a unit with half of it left
Baneblade | Rolling Fortress | cover at range for friendly Astra Militarum when not fully visible
Battlewagon | Ramshackle but Rugged | AP worse by 1 for attacks against it
Beast Snagga Boyz | Monster Hunters | re-roll hits: failed against Monster, Vehicle
Benefictus | Bio-horror Disruption (Psychic) | [Lethal Hits] at range while leading
Big Mek | More Dakka | re-roll hits: ones at range while leading
Big Mek in Mega Armour | Kustom Force Field | invulnerable save 4+ at range while leading
Bladeguard Veteran Squad | Bladeguard | re-roll hits: ones in melee if Swords of the Imperium is chosen & re-roll saves: ones in melee if Shields of the Imperium is chosen
Boss Snikrot | Red Skull Kommandos | cover while leading
Broodlord | Hypnotic Gaze (Psychic) | -1 to hit rolls for the enemy in melee against a marked enemy
Brother-Captain | Eye of Judgement (Psychic) | re-roll wounds: failed
Brôkhyr Iron-master | Multi-spectral visor | re-roll wounds: ones at range
Burna Boyz | Pyromaniaks | re-roll wounds: ones at range with burna within its distance & re-roll wounds: failed at range with burna within its distance at an objective instead
Burning Chariot | Eldritch Flames (Psychic) | the target has no cover at range for friendly units against a marked enemy
Burning Chariot | Penumbral Puppetry | -1 to hit rolls for attacks against it
Cadian Command Squad | Cadia Stands! | cover at range while the unit contains Officer at an objective
Caladius Grav-tank | Advanced Firepower | [Lethal Hits] with twin iliastus accelerator cannon not against Monsters, Vehicles & [Lethal Hits] with twin arachnus heavy blaze cannon against Monster, Vehicle
Canoness | Null Rod | Feel No Pain 4+ against mortal wounds and psychic attacks
Canoness | Rod of Office | re-roll hits: ones
Canoptek Doomstalker | Sentinel Construct | Overwatch hits on 5+ in Overwatch
Canoptek Macrocytes | Harassment Swarm (Aura) | -1 to hit rolls for the enemy (not Monsters, not Vehicles) by an enemy near it
Captain Sicarius | Lead From the Front | [Assault] at range while leading
Captain in Gravis Armour | Refuse to Yield | Damage is halved
Captain with Jump Pack | Angel's Wrath | +1 Strength in melee while leading after a charge
Castigator | Rites of Castigation | AP better by 1 at range for friendly Adepta Sororitas against a marked enemy
Catachan Heavy Weapons Squad | Bring it Down! | re-roll hits: ones at range against Monster, Vehicle & re-roll wounds: ones at range against Monster, Vehicle
Catacomb Command Barge | Advanced Quantum Shielding | -1 to wound rolls for attacks against it if S > T
Celestian Insidiants | Virtue of Intolerance | [Precision] against a marked enemy & re-roll hits: failed against a marked enemy
Celestian Sacresants | Sworn Protectors | -1 to wound rolls for attacks against it while led by Adepta Sororitas Character
Centurion Assault Squad | Annihilator Protocols | [Sustained Hits 2] in melee against Monster, Vehicle, Fortification
Cerastus Knight Atrapos | Macro-extinction Protocols | +1 to hit rolls against Monster, Vehicle & +1 to wound rolls against Monster, Vehicle against Titanic, Towering
Cerastus Knight Castigator | Storm of Bolts | -1 to hit rolls for the enemy (not Monsters, not Vehicles) against a marked enemy in its state in its state suppressed
Chaos Acastus Knight Porphyrion | Bastion of Firepower | [Lethal Hits] at range if stationary
Chaos Cerastus Knight Castigator | Offerings for the Dark Gods (Aura) | [Sustained Hits 1] at range for friendly War Dog within its aura
Chaos Terminator Squad | Despoilers | re-roll hits: failed in its state Dark Pact
Chaplain on Bike | Catechism of Fire | [Devastating Wounds] at range against a marked enemy
Chief Librarian Tigurius | Hood of Hellfire | Feel No Pain 4+ against mortal wounds and psychic attacks while leading
Chief Librarian Tigurius | Master of Prescience (Psychic) | -1 to hit rolls for attacks against it while leading
Chronomancer | Timesplinter Mantle | -1 to hit rolls for attacks against it while leading
Commander Dante | Lord Regent of the Imperium Nihilus | +1 to hit rolls while leading
Commander Farsight | Way of the Short Blade | +1 to wound rolls while leading within its distance
Commander Shadowsun | Advanced Guardian Drone | -1 to wound rolls for attacks against it at range
Commander Shadowsun | Hero of the Empire (Aura) | re-roll hits: ones at range for friendly T'au Empire within its aura
Commander in Coldstar Battlesuit | Coldstar Commander | [Assault] at range while leading
Commander in Coldstar Battlesuit | Shield Generator | invulnerable save 4+
Commander in Enforcer Battlesuit | Enforcer Commander | AP worse by 1 for attacks against it at range while leading
Company Heroes | Command Squad | -1 to wound rolls for attacks against it while led by Character
Contemptor-Galatus Dreadnought | Galatus Shield | -1 to wound rolls for attacks against it in melee
Convergence of Dominion | Reanimation Nodes (Aura) | Feel No Pain 6+ for friendly Necrons Infantry within its aura
Crimson Hunter | Skyhunter | +1 to hit rolls at range against Fly & +1 to wound rolls at range against Fly
Crisis Fireknife Battlesuits | Fireknife | re-roll hits: ones at range & re-roll hits: failed at range against a unit at full strength instead
Crisis Starscythe Battlesuits | Guardian Drone | -1 to wound rolls for attacks against it at range
Crisis Starscythe Battlesuits | Shield Drone | +1 Wounds
Custodian Wardens | Resolute Will | -1 to wound rolls for attacks against it while led by Character if S > T
Dakkajet | Dakkastorm | critical hits on 2+ at range
Dark Apostle | Dark Zealotry | +1 to wound rolls in melee while leading while the unit contains Dark Apostle
Dark Commune | Dark Ritual | +1 to hit rolls once per battle or turn while the unit contains Cult Demagogue when used & +1 to wound rolls once per battle or turn while the unit contains Cult Demagogue when used
Darkstrider | Structural Analyser | +1 to wound rolls at range while leading
Darnath Lysander | Rampart | invulnerable save 2+ once per battle or turn when used
Death Company Captain with Jump Pack | Lost to Fury | [Sustained Hits 1] in melee while leading
Deathwing Knights | Inner Circle | -1 Damage for attacks allocated to it
Deathwing Terminator Squad | Deathwing | ignores modifiers of hit,skill & +1 to hit rolls against a marked enemy
Decimus Kill Team | Death to the Alien | re-roll hits: ones & re-roll hits: failed not against Imperium, Chaos instead
Desolation Squad | Targeter Optics | [Ignores Cover] at range if stationary
Devastator Squad | Armorium Cherub | one die is a 6 once per battle or turn
Doomsday Ark | Overwhelming Obliteration | [Devastating Wounds] with doomsday cannon if stationary
Dreadnought | Wisdom of the Ancients [Aura] | re-roll hits: ones for friendly Adeptus Astartes Infantry within its aura
Einhyr Hearthguard | Decisive Destruction | re-roll hits: ones at range against the closest target
Emperor's Champion (Anointed) | Armour of Faith | Damage becomes 0 once per battle or turn
Eradicator Squad | Total Obliteration | re-roll hits: failed at range against Monster, Vehicle & re-roll wounds: failed at range against Monster, Vehicle & re-roll damage: free at range against Monster, Vehicle
Exaction Squad | Imperial Law | [Lethal Hits] against a marked enemy & [Precision] against a marked enemy
Exaction Squad | Soulguilt scanner | [Ignores Cover] at range
Exalted Eightbound | Rend and Tear | +1 Damage in melee against Monster, Vehicle
Exalted Flamer | Blazing Warpfire (Psychic) | [Assault] at range while leading
Exocrine | Symbiotic Targeting | re-roll hits: ones at range for friendly Tyranids against a marked enemy
Ezekiel | Book of Salvation | +1 Attacks in melee while leading
Farseer Skyrunner | Branching Fates (Psychic) | one die is a 6 while leading once per battle or turn
Farseer Skyrunner | Misfortune (Psychic) | -1 to wound rolls for the enemy against a marked enemy
Fire Prism | Crystal Matrix | re-roll hits: one at range & re-roll wounds: one at range
Flayed Ones | Flesh Hunger | critical hits on 2+ in melee against a unit below half-strength
Fortis Kill Team | Fortis Doctrines | +1 to hit rolls against a unit below Starting Strength & +1 to hit rolls against a unit below Starting Strength against a unit below half-strength instead & +1 to wound rolls against a unit below Starting Strength against a unit below half-strength instead
Gargantuan Squiggoth | Walking Bastion | no penalty for being engaged
Gaunt’s Ghosts | Tanith Camo-cloaks | cover
Gladiator Reaper | Rotating Death | [Sustained Hits 2] with twin heavy onslaught gatling cannon against Infantry
Gladiator Valiant | Ferocious Assault | +1 to hit rolls with twin las-talon against Monster, Vehicle against the closest target
Hammerhead Gunship | Armour Hunter | +1 to hit rolls against Monster, Vehicle
Harridan | Frenzied Metabolism | +1 to wound rolls at range when used
Hastarii Exterminators | Broad‑spectrum Targeting Augurs | [Sustained Hits 1] with eradication caster not against Monster, Vehicle
Hastarii Fusiliers | Monocular Targeting Helms | [Ignores Cover] with neutron fusil against Monster, Vehicle
"""


def _rows(lines: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(line.split(" | ")) for line in lines.splitlines())


OF_LISTS, OF_DATASHEETS = _rows(_LISTS), _rows(_DATASHEETS)
